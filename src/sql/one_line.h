// Texts of others in messages of one line.
#pragma once
#include <string>
#include <string_view>

namespace croft {

// Blanks and line ends become one blank each; none, and no semicolon, at the end.
inline std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (line.ends_with(' ') || line.ends_with(';')) line.pop_back();
  return line;
}

}  // namespace croft

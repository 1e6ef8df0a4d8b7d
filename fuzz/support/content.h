// What a text says beside how its parts are kept apart: for oracles that nothing of it is lost.
#pragma once
#include <string>
#include <string_view>

namespace croft::fuzz {

// The text without blanks, TABs and line ends, and without a byte order mark at its start.
inline std::string content_of(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') out += c;
  }
  return out;
}

}  // namespace croft::fuzz

// What a text says beside how its parts are kept apart: for oracles that nothing of it is lost.
#pragma once
#include <string>
#include <string_view>

namespace croft::fuzz {

// An input without the byte order mark at its start, which readers skip.
inline std::string_view without_mark(std::string_view input) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (input.starts_with(kByteOrderMark)) input.remove_prefix(kByteOrderMark.size());
  return input;
}

// The text without blanks, TABs and line ends.
inline std::string content_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') out += c;
  }
  return out;
}

}  // namespace croft::fuzz

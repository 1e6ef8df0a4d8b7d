// Lines of a few fields.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace croft {

// At TABs, where the line has one: every field counts, also an empty one.  Otherwise at spaces,
// however many.
inline std::vector<std::string_view> split_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  const bool tabs = line.find('\t') != std::string_view::npos;
  const char separator = tabs ? '\t' : ' ';
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    if (tabs || end > begin) fields.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

// At every separator; a text without one is one field.
inline std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> fields(1);
  for (const char c : text) {
    if (c == separator) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace croft

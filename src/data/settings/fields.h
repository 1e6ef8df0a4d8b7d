// Lines of a few fields, and texts of lines.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "croft/data/line_reader.h"

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

// The lines that are left, each with its end.
inline std::string text_of(LineReader& lines) {
  std::string text;
  for (std::string_view line; lines.next(line);) text.append(line).append("\n");
  return text;
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

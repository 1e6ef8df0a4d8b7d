// Lists with commas between their parts, as options have them: "a,b".
#pragma once
#include <algorithm>
#include <string_view>
#include <vector>

namespace croft {

// The parts, empty ones too; without a comma the list itself.  They lie in the list.
inline std::vector<std::string_view> between_commas(std::string_view list) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace croft

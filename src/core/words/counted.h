// "1 row", "2 rows": numbers of things in sentences for people.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace croft {

inline std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace croft

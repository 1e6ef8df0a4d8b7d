// "1 row", "2 rows": numbers of things in sentences for people.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace croft {

//   plural : of a noun that has another one than noun + s
inline std::string counted(std::size_t count, std::string_view noun, std::string_view plural = {}) {
  const std::string one(noun), many = plural.empty() ? one + "s" : std::string(plural);
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace croft

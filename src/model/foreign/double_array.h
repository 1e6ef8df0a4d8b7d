// Darts' double array, which holds the strings of CRF++'s models.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace croft {

// Its bytes: for each cell a base (i32) and a check (u32), little-endian.  From a cell with base b
// the byte c leads to cell b + c + 1, whose check is b; at cell b a string ends, with the number
// -base - 1.  A look-up stays inside, whatever it looks up.
//   strings : in the order of their bytes, each once, without NUL; numbers: below 2^31
// Time and space are linear in the bytes of the strings.
std::string build_double_array(std::span<const std::pair<std::string, std::uint32_t>> strings);

}  // namespace croft

// Where the bytes stand at which a text is cut: with SIMD, a fraction of a nanosecond a byte.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace croft {

// The indices of all bytes of `text` that are `a` or `b`, in order; returns how many there are.
//   text : at most 65536 bytes
//   out  : has room for as many numbers
std::size_t find_bytes(std::string_view text, char a, char b, std::uint16_t* out);

// visit(index) for each of them, of a text of any length.
template <class Visit>
void for_each_byte(std::string_view text, char a, char b, const Visit& visit) {
  constexpr std::size_t kAtOnce = 1024;
  std::array<std::uint16_t, kAtOnce> places;
  for (std::size_t begin = 0; begin < text.size(); begin += kAtOnce) {
    const std::size_t size = std::min(kAtOnce, text.size() - begin);
    const std::size_t count = find_bytes({text.data() + begin, size}, a, b, places.data());
    for (std::size_t k = 0; k < count; ++k) visit(begin + places[k]);
  }
}

}  // namespace croft

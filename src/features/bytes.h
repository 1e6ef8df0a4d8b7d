// Little-endian numbers at any address, and eight bytes at a time in one register.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace croft {

static_assert(std::endian::native == std::endian::little,
              "images are mapped as they are: a big-endian host would have to swap every number");

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

template <class T>
void append(std::vector<std::byte>& out, T value) {
  const std::size_t at = out.size();
  out.resize(at + sizeof value);
  store(out.data() + at, value);
}

// The lowest n bytes of a register, 0 <= n <= 8.
constexpr std::uint64_t low_bytes(std::size_t n) {
  return n >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * n)) - 1;
}

// The top bit of each of the eight bytes that equals `byte`; exact, no carry between bytes.
constexpr std::uint64_t equal_bytes(std::uint64_t eight, std::uint8_t byte) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kLow7 = 0x7F7F7F7F7F7F7F7F;
  const std::uint64_t x = eight ^ (kOnes * byte);  // zero where equal
  return ~(((x & kLow7) + kLow7) | x | kLow7);
}

// The sum of the eight bytes, at most 2040.
constexpr std::uint64_t sum_bytes(std::uint64_t eight) {
  constexpr std::uint64_t kEven = 0x00FF00FF00FF00FF;
  const std::uint64_t pairs = (eight & kEven) + ((eight >> 8) & kEven);
  return (pairs * 0x0001000100010001) >> 48;
}

}  // namespace croft

// Texts of a few words as numbers: compared and hashed without a loop over their bytes.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "features/bytes.h"

namespace croft {

inline constexpr std::uint64_t kGoldenOdd = 0x9E3779B97F4A7C15;  // 2^64 by the golden ratio

// All bits of a and b in each bit of the upper half of what it returns.
inline std::uint64_t mix_words(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a ^ kGoldenOdd) * (b ^ (kGoldenOdd >> 1 | 1));
  return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
}

// The first kBytes bytes of a text, zeros behind a shorter one.  Texts of at most so many bytes are
// equal where these and their sizes are.
template <std::size_t kWords>
struct ShortText {
  static constexpr std::size_t kBytes = 8 * kWords;

  ShortText() = default;
  // Whatever the size, kBytes bytes may be read from `text` on.
  ShortText(const char* text, std::size_t size) {
    for (std::size_t k = 0; k < kWords; ++k) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, text + 8 * k, 8);
      word[k] = eight & low_bytes(size > 8 * k ? size - 8 * k : 0);
    }
  }
  bool operator==(const ShortText& other) const {
    std::uint64_t differs = 0;
    for (std::size_t k = 0; k < kWords; ++k) differs |= word[k] ^ other.word[k];
    return differs == 0;
  }

  std::array<std::uint64_t, kWords> word{};
};

}  // namespace croft

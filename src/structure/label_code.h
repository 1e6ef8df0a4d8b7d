// Codes of labels: each label is a word of bits, and a bit of some labels may not matter.
//
// With an error-correcting code (Dietterich & Bakiri 1995; of chains Cohn, Smith & Osborne 2005)
// labels are told apart by several bits, so that some may be wrong.  docs/math/error_correcting.md.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "croft/structure/transitions.h"

namespace croft {

inline constexpr std::uint8_t kAnyBit = 2;  // the label does not care

struct LabelCode {
  std::size_t labels = 0, bits = 0;
  std::vector<std::uint8_t> bit;  // [L][B]: 0, 1 or kAnyBit

  std::uint8_t at(Label j, std::size_t b) const { return bit[j * bits + b]; }
  // 0, 1, or 1/2 of a bit that does not matter.
  double share(Label j, std::size_t b) const {
    return at(j, b) == kAnyBit ? 0.5 : static_cast<double>(at(j, b));
  }
  bool operator==(const LabelCode&) const = default;
};

// A bit for each label, which is 1; of two labels one bit.  L >= 2, as below.
LabelCode one_vs_rest_code(std::size_t labels);
// A bit for each two labels: 1 for the first, 0 for the second, and of no matter to the others.
LabelCode all_pairs_code(std::size_t labels);
// Of `draws` random codes that of the largest distance, and among these of the fewest pairs of
// labels at that distance.  Throws UsageError where 2^bits < L, or no draw tells all labels apart.
LabelCode random_code(std::size_t labels, std::size_t bits, Random& random, std::size_t draws = 50);
// Bits to draw where nobody says how many: 10 log2 L (Allwein, Schapire & Singer 2000).
std::size_t usual_bits(std::size_t labels);

// Some bits of a code.
LabelCode choose_bits(const LabelCode& code, std::span<const std::size_t> bits);

// How many bits tell two labels apart: those that both care for, and in which they differ.
std::size_t distance(const LabelCode& code, Label i, Label j);
// The least of two different labels: floor((d - 1) / 2) wrong bits are corrected where all care.
struct CodeDistance {
  std::size_t least = 0;
  std::size_t pairs = 0;  // of labels that are that close
};
CodeDistance distance(const LabelCode& code);

// For each label how many of the bits that it cares for are others: [L].
void hamming_distances(const LabelCode& code, std::span<const std::uint8_t> bits,
                       std::span<double> out);

}  // namespace croft

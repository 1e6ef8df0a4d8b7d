#include "structure/label_code.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "croft/core/error.h"

namespace croft {

LabelCode one_vs_rest_code(std::size_t labels) {
  LabelCode code{labels, labels == 2 ? 1 : labels, {}};
  code.bit.assign(labels * code.bits, 0);
  for (std::size_t b = 0; b < code.bits; ++b) code.bit[b * code.bits + b] = 1;
  return code;
}

LabelCode all_pairs_code(std::size_t labels) {
  LabelCode code{labels, labels * (labels - 1) / 2, {}};
  code.bit.assign(labels * code.bits, kAnyBit);
  std::size_t b = 0;
  for (Label i = 0; i < labels; ++i) {
    for (Label j = i + 1; j < labels; ++j, ++b) {
      code.bit[i * code.bits + b] = 1;
      code.bit[j * code.bits + b] = 0;
    }
  }
  return code;
}

namespace {

// A column that is the same for all labels tells nothing, and is drawn again.
void draw_column(LabelCode& code, std::size_t b, Random& random) {
  bool zero = false, one = false;
  while (!zero || !one) {
    zero = one = false;
    for (Label j = 0; j < code.labels; ++j) {
      const bool bit = random.below(2) == 1;
      code.bit[j * code.bits + b] = bit;
      (bit ? one : zero) = true;
    }
  }
}

}  // namespace

LabelCode random_code(std::size_t labels, std::size_t bits, Random& random, std::size_t draws) {
  const auto fail = [&] {
    throw UsageError("--code: ", bits, " random bits do not tell ", labels,
                     " labels apart; take more");
  };
  if (bits < 63 && (std::uint64_t{1} << bits) < labels) fail();
  LabelCode best;
  CodeDistance most;
  for (std::size_t n = 0; n < draws; ++n) {
    LabelCode code{labels, bits, std::vector<std::uint8_t>(labels * bits)};
    for (std::size_t b = 0; b < bits; ++b) draw_column(code, b, random);
    const CodeDistance found = distance(code);
    if (found.least > most.least || (found.least == most.least && found.pairs < most.pairs)) {
      most = found;
      best = std::move(code);
    }
  }
  if (most.least == 0) fail();
  return best;
}

std::size_t usual_bits(std::size_t labels) {
  return static_cast<std::size_t>(std::ceil(10 * std::log2(static_cast<double>(labels))));
}

LabelCode choose_bits(const LabelCode& code, std::span<const std::size_t> bits) {
  LabelCode out{code.labels, bits.size(), {}};
  for (Label j = 0; j < code.labels; ++j) {
    for (const std::size_t b : bits) out.bit.push_back(code.at(j, b));
  }
  return out;
}

std::size_t distance(const LabelCode& code, Label i, Label j) {
  std::size_t count = 0;
  for (std::size_t b = 0; b < code.bits; ++b) {
    const std::uint8_t a = code.at(i, b), c = code.at(j, b);
    count += a != c && a != kAnyBit && c != kAnyBit;
  }
  return count;
}

CodeDistance distance(const LabelCode& code) {
  CodeDistance out{std::numeric_limits<std::size_t>::max(), 0};
  for (Label i = 0; i < code.labels; ++i) {
    for (Label j = i + 1; j < code.labels; ++j) {
      const std::size_t d = distance(code, i, j);
      if (d < out.least) out = {d, 0};
      out.pairs += d == out.least;
    }
  }
  return out.pairs == 0 ? CodeDistance{} : out;
}

void hamming_distances(const LabelCode& code, std::span<const std::uint8_t> bits,
                       std::span<double> out) {
  for (Label j = 0; j < code.labels; ++j) {
    std::size_t wrong = 0;
    for (std::size_t b = 0; b < code.bits; ++b) {
      const std::uint8_t own = code.at(j, b);
      wrong += own != kAnyBit && own != bits[b];
    }
    out[j] = static_cast<double>(wrong);
  }
}

}  // namespace croft

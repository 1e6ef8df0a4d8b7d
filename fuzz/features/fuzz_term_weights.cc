// Any bytes as what a model stores of terms: an Error, or weights that are finite.
//   byte 0: length of the frequencies (in numbers); 8 bytes: texts; frequencies; image of the terms
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "croft/core/error.h"
#include "features/text/term_weights.h"
#include "support/target.h"

namespace fuzz_term_weights {

namespace {

constexpr std::size_t kHead = 9;

void ask(std::uint64_t documents, std::span<const std::byte> image,
         std::span<const std::uint32_t> frequency) {
  for (const unsigned bits : {0u, 3u}) {
    croft::TextOptions options;
    options.values = croft::TermValues::tf_idf;
    options.hash_bits = bits;
    const croft::TermStatistics statistics(
        documents, bits == 0 ? image : std::span<const std::byte>(), frequency);
    if (bits == 0 && !statistics.has_terms()) continue;
    const croft::BagOfWords bag(options, statistics);
    croft::BagOfWords::Scratch scratch;
    bag.weigh("w=the then the 東京 aa bb cc dd ee ff", scratch);
    for (const croft::TermValue& v : scratch.values) {
      if (!std::isfinite(v.value)) throw std::logic_error("a weight that is not finite");
    }
  }
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_term_weights) {
  if (size < kHead) return 0;
  std::uint64_t documents = 0;
  std::memcpy(&documents, data + 1, sizeof documents);
  const std::size_t count = std::min<std::size_t>(data[0], (size - kHead) / 4);
  std::vector<std::uint32_t> frequency(count);
  if (count > 0) std::memcpy(frequency.data(), data + kHead, 4 * count);
  // A copy whose end is the end of a heap block, where the sanitizer watches.
  const std::size_t rest = size - kHead - 4 * count;
  const auto image = std::make_unique<std::byte[]>(rest);
  std::transform(data + kHead + 4 * count, data + size, image.get(),
                 [](std::uint8_t b) { return std::byte{b}; });
  try {
    ask(documents, {image.get(), rest}, frequency);
  } catch (const croft::Error&) {
  }
  return 0;
}

}  // namespace fuzz_term_weights

// The images inside a model file, by the first byte of the input:
//   'v' the rest is a vocabulary's image, 'o' a table of offsets: any bytes give an Error, or
//   answers
//       that stay within their bounds;
//   's' the rest is strings, one a line: their image gives each of them back.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/error.h"
#include "features/compact_offsets.h"
#include "features/vocabulary.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_vocabulary {

namespace {

void ask_vocabulary(std::span<const std::byte> image) {
  const croft::CompactVocabulary vocabulary(image);
  const auto ask = [&](std::string_view text) {
    vocabulary.prefetch(croft::hash_string(text));
    const std::uint32_t id = vocabulary.find(text);
    require(id == croft::kUnknown || id < vocabulary.size(), "an id beyond the size");
  };
  for (const char* text : {"", "a", "w=the", "w=then", "w[0]=of", "w[-1]|w[0]=of|the"}) ask(text);
  for (std::uint64_t k = 0; k < 64; ++k) {  // buckets from the first to the last
    const std::uint64_t hash = k << 58 | k;
    vocabulary.prefetch(hash);
    vocabulary.find("w=the", hash);
  }
  const auto size = static_cast<std::uint32_t>(vocabulary.size());
  for (std::uint32_t id = 0; id < std::min(size, 40u); ++id) ask(vocabulary.string(id));
  if (size > 0) ask(vocabulary.string(size - 1));
}

void ask_offsets(std::span<const std::byte> image) {
  const croft::CompactOffsets offsets(image);
  for (std::uint32_t i = 0; i < std::min(offsets.size(), 1000u); ++i) {
    offsets.prefetch(i);
    const auto row = offsets(i);
    require(row.begin <= offsets.total() && row.length <= offsets.total() - row.begin,
            "a row beyond the total");
  }
  require(offsets(offsets.size()) == croft::CompactOffsets::Row{0, 0}, "a row beyond the last");
}

void round_trip(std::string_view lines) {
  std::set<std::string_view> strings;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    strings.insert(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  const std::vector<std::string_view> list(strings.begin(), strings.end());
  const auto built = croft::CompactVocabulary::build(list);
  const croft::CompactVocabulary vocabulary(built.image);
  require(vocabulary.size() == list.size(), "another number of strings");
  for (std::size_t k = 0; k < list.size(); ++k) {
    require(vocabulary.find(list[k]) == built.id[k], "a string with another id");
    require(vocabulary.string(built.id[k]) == list[k], "an id with another string");
    const std::string longer = std::string(list[k]) + "x";
    require(strings.contains(longer) || vocabulary.find(longer) == croft::kUnknown, "a false find");
  }
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_vocabulary) {
  if (size == 0) return 0;
  const char mode = static_cast<char>(data[0]);
  // A copy whose end is the end of a heap block, where the sanitizer watches.
  const auto rest = std::make_unique<std::byte[]>(size - 1);
  std::transform(data + 1, data + size, rest.get(), [](std::uint8_t b) { return std::byte{b}; });
  try {
    if (mode == 'v') ask_vocabulary({rest.get(), size - 1});
    if (mode == 'o') ask_offsets({rest.get(), size - 1});
  } catch (const croft::Error&) {
  }
  if (mode == 's') round_trip({reinterpret_cast<const char*>(rest.get()), size - 1});
  return 0;
}

}  // namespace fuzz_vocabulary

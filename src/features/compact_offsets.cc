#include "features/compact_offsets.h"

#include <algorithm>
#include <array>
#include <string>

#include "croft/core/error.h"
#include "features/bytes.h"

namespace croft {
namespace {

constexpr std::uint32_t kOffsetsLayout = 1;
constexpr std::size_t kOffsetsHeaderBytes = 64, kBlockBytes = 64, kBaseBytes = 8;

constexpr std::uint32_t rows_a_block(std::uint32_t width) {
  return static_cast<std::uint32_t>(kBlockBytes - kBaseBytes) / width;
}

constexpr std::size_t kLengthBytes = kBlockBytes - kBaseBytes;
constexpr auto kOnesThenZeros = [] {
  std::array<std::uint8_t, 2 * kLengthBytes> bytes{};
  std::fill_n(bytes.begin(), kLengthBytes, std::uint8_t{0xFF});
  return bytes;
}();

// Row `row` of a block with lengths of type T.  All lengths are read and those from `row` on
// masked: no branch to mispredict.  They are summed two by two, in lanes twice as wide as they are.
template <class T>
CompactOffsets::Row row_of(const std::byte* block, std::uint32_t row) {
  constexpr int kBits = 8 * sizeof(T);
  constexpr std::uint64_t kEven = ~std::uint64_t{0} / ((std::uint64_t{1} << kBits) + 1);
  constexpr std::uint64_t kLaneOnes = kEven / ((std::uint64_t{1} << kBits) - 1);
  const std::byte* lengths = block + kBaseBytes;
  const auto* mask =
      reinterpret_cast<const std::byte*>(kOnesThenZeros.data()) + kLengthBytes - row * sizeof(T);
  std::uint64_t lanes = 0;
  for (std::size_t b = 0; b < kLengthBytes; b += 8) {
    const std::uint64_t eight = load<std::uint64_t>(lengths + b) & load<std::uint64_t>(mask + b);
    lanes += (eight & kEven) + ((eight >> kBits) & kEven);
  }
  const std::uint64_t before = (lanes * kLaneOnes) >> (64 - 2 * kBits);
  return {load<std::uint64_t>(block) + before, load<T>(lengths + row * sizeof(T))};
}

template <class T>
void append_blocks(std::span<const std::uint32_t> lengths, std::vector<std::byte>& image) {
  constexpr std::size_t kRows = rows_a_block(sizeof(T));
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < lengths.size(); i += kRows) {
    append(image, begin);
    const std::size_t block = image.size();
    image.resize(block + kBlockBytes - kBaseBytes);
    for (std::size_t r = 0; r < kRows && i + r < lengths.size(); ++r) {
      store(image.data() + block + r * sizeof(T), static_cast<T>(lengths[i + r]));
      begin += lengths[i + r];
    }
  }
}

}  // namespace

std::vector<std::byte> CompactOffsets::build(std::span<const std::uint32_t> lengths) {
  if (lengths.size() > 0xFFFFFFFF) throw Error("more than 4294967295 rows in a table of offsets");
  std::uint64_t total = 0;
  std::uint32_t longest = 0;
  for (const std::uint32_t length : lengths) {
    total += length;
    longest = std::max(longest, length);
  }
  const std::uint32_t width = longest <= 0xFF ? 1 : longest <= 0xFFFF ? 2 : 4;
  std::vector<std::byte> image;
  append(image, kOffsetsLayout);
  append(image, width);
  append(image, std::uint64_t{lengths.size()});
  append(image, total);
  image.resize(kOffsetsHeaderBytes);
  if (width == 1) append_blocks<std::uint8_t>(lengths, image);
  if (width == 2) append_blocks<std::uint16_t>(lengths, image);
  if (width == 4) append_blocks<std::uint32_t>(lengths, image);
  return image;
}

CompactOffsets::CompactOffsets(std::span<const std::byte> image) {
  const auto fail = [](const std::string& what) {
    throw Error("the table of offsets is damaged: " + what);
  };
  if (image.size() < kOffsetsHeaderBytes) fail(std::to_string(image.size()) + " bytes are too few");
  const std::byte* header = image.data();
  const auto layout = load<std::uint32_t>(header);
  if (layout != kOffsetsLayout) {
    throw Error("the table of offsets has layout " + std::to_string(layout) +
                ", this Croft reads layout " + std::to_string(kOffsetsLayout) +
                "; use a newer Croft");
  }
  const auto width = load<std::uint32_t>(header + 4);
  if (width != 1 && width != 2 && width != 4) {
    fail("lengths of " + std::to_string(width) + " bytes");
  }
  const auto rows = load<std::uint64_t>(header + 8);
  if (rows > 0xFFFFFFFF) fail(std::to_string(rows) + " rows are too many");
  const std::uint64_t blocks = (rows + rows_a_block(width) - 1) / rows_a_block(width);
  const std::uint64_t promised = kOffsetsHeaderBytes + kBlockBytes * blocks;
  if (image.size() != promised) {
    fail(std::to_string(image.size()) + " bytes where its header promises " +
         std::to_string(promised));
  }
  blocks_ = header + kOffsetsHeaderBytes;
  total_ = load<std::uint64_t>(header + 16);
  size_ = static_cast<std::uint32_t>(rows);
  rows_a_block_ = rows_a_block(width);
  width_ = width;
}

CompactOffsets::Row CompactOffsets::operator()(std::uint32_t i) const {
  if (i >= size_) return {0, 0};
  const std::byte* block = blocks_ + kBlockBytes * std::size_t{i / rows_a_block_};
  const std::uint32_t row = i % rows_a_block_;
  const Row found = width_ == 1   ? row_of<std::uint8_t>(block, row)
                    : width_ == 2 ? row_of<std::uint16_t>(block, row)
                                  : row_of<std::uint32_t>(block, row);
  if (found.begin > total_ || found.length > total_ - found.begin) return {0, 0};  // damaged
  return found;
}

}  // namespace croft

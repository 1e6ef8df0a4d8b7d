// Where each row of a ragged table begins: the rows' lengths in about 1.14 bytes each, mapped.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace croft {

// A row's begin and length from one cache line: a block of 64 bytes holds the begin of its first
// row and the lengths of as many rows as fit (56, 28 or 14, as the longest row needs 1, 2 or 4
// bytes). Works on bytes that it does not own and does not trust: whatever they are, a row lies
// within [0, total()), so that a caller needs to compare total() with its table once.
// docs/format.md section 2.2 has the layout.  Threads: no hidden state; share it.
class CompactOffsets {
 public:
  static std::vector<std::byte> build(std::span<const std::uint32_t> lengths);

  CompactOffsets() = default;  // no rows
  // Checks the header and the sizes, in a time that does not grow with the image; throws Error
  // saying what is wrong.  The image must outlive this; aligned to 64 bytes, a row costs one cache
  // miss.
  explicit CompactOffsets(std::span<const std::byte> image);

  std::uint32_t size() const { return size_; }    // rows
  std::uint64_t total() const { return total_; }  // the sum of the lengths
  struct Row {
    std::uint64_t begin;
    std::uint32_t length;
    bool operator==(const Row&) const = default;
  };
  // {0, 0} for i >= size().
  Row operator()(std::uint32_t i) const;
  void prefetch(std::uint32_t i) const {
    if (i < size_) __builtin_prefetch(blocks_ + std::size_t{64} * (i / rows_a_block_));
  }

 private:
  const std::byte* blocks_ = nullptr;
  std::uint64_t total_ = 0;
  std::uint32_t size_ = 0, rows_a_block_ = 1, width_ = 1;
};

}  // namespace croft

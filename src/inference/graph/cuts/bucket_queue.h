// A queue of numbered items, the one with (nearly) the largest priority first.  Internal to
// inference/.
//
// Priorities within a factor of the square root of 2 count as equal, and the item that has waited
// longest goes first.  Each operation takes the same short time, however many items there are.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace croft {

class BucketQueue {
 public:
  explicit BucketQueue(std::size_t items)
      : next_(items + kBuckets), previous_(items + kBuckets), bucket_(items, kNone) {
    for (std::uint32_t b = 0; b < kBuckets; ++b) next_[head(b)] = previous_[head(b)] = head(b);
  }

  bool empty() const { return filled_[0] == 0 && filled_[1] == 0 && filled_[2] == 0; }

  // Adds an item, or moves it to another priority > 0.
  void set(std::uint32_t item, double priority) {
    const std::uint32_t bucket = bucket_of(priority);
    if (bucket_[item] == bucket) return;
    remove(item);
    bucket_[item] = bucket;
    const std::uint32_t end = head(bucket), last = previous_[end];
    next_[last] = item;
    previous_[item] = last;
    next_[item] = end;
    previous_[end] = item;
    filled_[bucket / 64] |= std::uint64_t{1} << bucket % 64;
  }

  // Not of an empty queue.
  std::uint32_t pop() {
    std::size_t word = filled_.size() - 1;
    while (filled_[word] == 0) --word;
    const auto bucket = static_cast<std::uint32_t>(64 * word + 63) -
                        static_cast<std::uint32_t>(std::countl_zero(filled_[word]));
    const std::uint32_t item = next_[head(bucket)];
    remove(item);
    return item;
  }

  void remove(std::uint32_t item) {
    const std::uint32_t bucket = bucket_[item];
    if (bucket == kNone) return;
    next_[previous_[item]] = next_[item];
    previous_[next_[item]] = previous_[item];
    bucket_[item] = kNone;
    if (next_[head(bucket)] == head(bucket)) {
      filled_[bucket / 64] &= ~(std::uint64_t{1} << bucket % 64);
    }
  }

 private:
  static constexpr std::uint32_t kBuckets = 192, kNone = kBuckets;
  // Exponent and first digit of 2^-72: the last bucket begins at 2^23.5.
  static constexpr std::uint64_t kLowest = std::uint64_t{1023 - 72} << 1;

  static std::uint32_t bucket_of(double priority) {
    const std::uint64_t place = std::bit_cast<std::uint64_t>(priority) >> 51;
    if (place <= kLowest) return 0;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(place - kLowest, kBuckets - 1));
  }
  std::uint32_t head(std::uint32_t bucket) const {
    return static_cast<std::uint32_t>(bucket_.size()) + bucket;
  }

  std::vector<std::uint32_t> next_, previous_;  // rings, each with a head
  std::vector<std::uint32_t> bucket_;           // [items]
  std::array<std::uint64_t, kBuckets / 64> filled_{};
};

}  // namespace croft

// A long vector with few numbers that are not 0.  They are added up in any order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace croft {

// Each coordinate once, in the order in which they came.  Terms may have cancelled to 0.
// A sparse set (Briggs & Torczon 1993): no order to keep, and nothing to clear but the list.
class SparseVector {
 public:
  struct Entry {
    std::uint64_t coordinate;
    double value;
  };

  // Memory: 4 bytes a coordinate.
  explicit SparseVector(std::size_t dimension) : entries_(64), place_(dimension) {}

  std::span<const Entry> entries() const { return std::span(entries_).first(size_); }
  void clear() { size_ = 0; }
  void add(std::uint64_t coordinate, double value) {
    std::uint32_t& place = place_[coordinate];
    Entry& entry = entries_[place];
    // One branch, which is rarely taken: a coordinate that is not there has any place.
    if (static_cast<int>(place < size_) & static_cast<int>(entry.coordinate == coordinate)) {
      entry.value += value;
      return;
    }
    if (size_ == entries_.size()) entries_.resize(2 * size_);
    place = static_cast<std::uint32_t>(size_);
    entries_[size_++] = {coordinate, value};
  }
  // Each number times that of its coordinate.
  void scale(std::span<const double> factor) {
    for (Entry& entry : std::span(entries_).first(size_)) entry.value *= factor[entry.coordinate];
  }
  double squared_norm() const {
    double sum = 0;
    for (const Entry& entry : entries()) sum += entry.value * entry.value;
    return sum;
  }

 private:
  std::vector<Entry> entries_;  // `size_` of them; never fewer than there were
  std::size_t size_ = 0;
  std::vector<std::uint32_t> place_;  // of each coordinate that is there; of others some entry's
};

}  // namespace croft

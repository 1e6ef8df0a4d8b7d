// Draws indices in proportion to weights that change.  Internal.
#pragma once
#include <bit>
#include <cstddef>
#include <vector>

#include "croft/core/state_archive.h"

namespace croft {

// A binary tree of sums: both operations are O(log size), and what it holds depends on the weights
// alone, not on their history.
class WeightTree {
 public:
  explicit WeightTree(std::size_t size) : leaves_(std::bit_ceil(size)), sum_(2 * leaves_) {}

  void set(std::size_t index, double weight) {
    std::size_t at = leaves_ + index;
    sum_[at] = weight;
    while (at > 1) {
      at /= 2;
      sum_[at] = sum_[2 * at] + sum_[2 * at + 1];
    }
  }
  double total() const { return sum_[1]; }
  // The index where the running sum of weights passes `mark`, 0 <= mark < total().
  std::size_t find(double mark) const {
    std::size_t at = 1;
    while (at < leaves_) {
      at *= 2;
      // Rounding may leave a mark past the end: never into a branch of no weight.
      if (mark < sum_[at] || !(sum_[at + 1] > 0)) continue;
      mark -= sum_[at];
      ++at;
    }
    return at - leaves_;
  }
  void archive(StateArchive& state) { state(sum_); }

 private:
  std::size_t leaves_;
  std::vector<double> sum_;  // [1] the root; [2 k], [2 k + 1] below k
};

}  // namespace croft

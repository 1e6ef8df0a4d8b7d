// Sums that come out the same in whatever order, and on however many machines, they are added.
//
//   S = sum_b round_u(x_b)                                                                (DS.1)
//
// Every addend is rounded to a multiple of the unit u, a power of two so large that the sum of all
// absolute values stays below 2^51 u: multiples of u are added without rounding, whatever the
// order. docs/distributed/math.md.
#pragma once
#include <atomic>
#include <cmath>
#include <span>

#include "croft/core/ranks.h"

namespace croft {

class ExactSum {
 public:
  // The smallest unit for sums of absolute values up to `most`; > 0.  Infinity: nothing is rounded,
  // for sums of one addend, and for those that no process shares with another.
  explicit ExactSum(double most);

  // What comes next is a block whose addends are at most `limit` in absolute value.  The limits of
  // all blocks add up to `most`.
  void begin_block(double limit) { limit_ = limit; }
  // sum += x, off by u/2 at most.  An x above the limit, or that is no number, spoils all sums:
  // overflown().  Thread-safe for different sums.
  void add(double x, double& sum) const {
    if (std::abs(x) <= limit_) {
      sum += (x + shift_) - shift_;
    } else {
      overflown_.store(true, std::memory_order_relaxed);
    }
  }
  // One addend each.
  void add(std::span<const double> x, std::span<double> sums) const {
    for (std::size_t k = 0; k < sums.size(); ++k) add(x[k], sums[k]);
  }
  bool overflown() const { return overflown_.load(std::memory_order_relaxed); }
  double unit() const { return unit_; }

 private:
  double unit_, shift_;  // numbers beside the shift are multiples of the unit
  double limit_ = 0;
  mutable std::atomic<bool> overflown_{false};
};

// Overwrites each number with its sum over the processes.  Throws UsageError, on all, where some
// are no whole numbers, or so many that their sums would round.
void sum_counts(Ranks& ranks, std::span<double> counts);

// Overwrites each number with its mean over the processes, off by some 2^-50 of the largest one:
// the same on all, and the same again for as many processes.  Requires finite numbers.
void mean_of_all(Ranks& ranks, std::span<double> numbers);

}  // namespace croft

// What the supports of a SampleFunction look like, found in one pass over them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "croft/optimize/function.h"

namespace croft {

// body(begin, length, at): a run, and where its numbers stand among those of the support.
template <class Body>
void for_runs(std::span<const Run> runs, const Body& body) {
  std::size_t at = 0;
  for (const Run& run : runs) {
    body(run.begin, run.length, at);
    at += run.length;
  }
}

// Overwrites `out` with what is not 0 of the numbers of these runs.
void set_sparse(std::span<const Run> runs, std::span<const double> numbers, SparseVector& out);

class SampleLayout {
 public:
  explicit SampleLayout(SampleFunction& f);

  std::size_t samples() const { return size_.size(); }
  std::size_t support_size(std::size_t n) const { return size_[n]; }  // coordinates
  std::size_t largest() const { return largest_; }                    // of the supports' sizes
  std::size_t total() const { return total_; }                        // sum of the supports' sizes

  // All coordinates by increasing begin: the runs of the supports, and what lies between them.
  std::span<const Run> runs() const { return runs_; }
  // Samples whose support has runs()[r]; 0 for what no sample depends on.
  std::span<const std::uint32_t> samples_of_run() const { return users_; }

 private:
  void add_gap(std::uint64_t begin, std::uint64_t end);

  std::vector<std::uint32_t> size_, users_;
  std::vector<Run> runs_;
  std::size_t largest_ = 0, total_ = 0;
};

// The L2 penalty as a part of the samples:
//
//   F(w) = sum_n [ f_n(w) + sum_{r in support(n)} (l2 / 2 c_r) |w_r|^2 ]                   (SG.9)
//
// where c_r counts the samples whose support has the run r.  For the methods whose steps differ
// from coordinate to coordinate, or that cannot wait.
// docs/math/stochastic_optimisation.md section 5
class PenaltyShare {
 public:
  // A share of l2 for each run.  Weights that no sample depends on have their optimum at once:
  // where l2 > 0 they become 0 by clear_unused().
  PenaltyShare(const SampleLayout& layout, std::size_t dimension, double l2)
      : layout_(layout), l2_(l2), share_(dimension) {
    const auto runs = layout.runs();
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const double users = layout.samples_of_run()[r];
      if (users > 0) share_[runs[r].begin] = l2 / users;
    }
  }
  // l2 / c_r of the run that begins here.
  double of(std::uint64_t begin) const { return share_[begin]; }

  void clear_unused(std::span<double> w) const {
    if (l2_ == 0) return;
    const auto runs = layout_.runs();
    for (std::size_t r = 0; r < runs.size(); ++r) {
      if (layout_.samples_of_run()[r] > 0) continue;
      std::ranges::fill(w.subspan(runs[r].begin, runs[r].length), 0.0);
    }
  }

 private:
  const SampleLayout& layout_;
  const double l2_;
  std::vector<double> share_;  // by `begin`
};

// The samples of a pass in an order drawn from the seed and the pass's number alone: so a run that
// is resumed needs no state of a generator.

// A generator of its own for each pass.
Random random_of_pass(std::uint64_t seed, std::size_t pass);

// Overwrites `order` with a permutation of 0 … samples - 1.
void draw_order(std::uint64_t seed, std::size_t pass, std::size_t samples,
                std::vector<std::uint32_t>& order);

}  // namespace croft

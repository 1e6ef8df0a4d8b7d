// The L2 penalty as a part of the samples:
//
//   F(w) = sum_n [ f_n(w) + sum_{r in support(n)} (l2 / 2 c_r) |w_r|^2 ]                   (SG.9)
//
// where c_r counts the samples whose support has the run r.  For the methods whose steps differ
// from coordinate to coordinate, or that cannot wait.
// docs/math/stochastic_optimisation.md section 5
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "optimize/stochastic/sample_layout.h"

namespace croft {

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

}  // namespace croft

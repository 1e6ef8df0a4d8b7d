// Stochastic dual coordinate ascent for log-loss.
//
// Shalev-Shwartz & Zhang (2013, 2016); Le Priol, Piche & Lacoste-Julien (2018), "Adaptive
// stochastic dual coordinate ascent for conditional random fields".  docs/math/dual_optimisation.md
// section 2.
#pragma once
#include <cstddef>
#include <cstdint>

#include "croft/optimize/optimizer.h"
#include "optimize/dual/dual_problem.h"

namespace croft {

struct SdcaOptions {
  // From 0 to 1: share of the draws at random among all examples; the others are drawn in
  // proportion to the gaps that the examples had when last seen.  1: no gap sampling.
  double uniform = 0.2;
  std::size_t passes = 3;  // >= 1; to an iteration, which ends with P and the gap computed exactly
  std::uint64_t seed = 1;  // of the draws
  StoppingRule stop{};
  // With more parts than this (8 MB) mu is kept in float, and the gap is then good to about 1e-7.
  static constexpr std::size_t kManyParts = std::size_t{1} << 20;
  void validate() const;  // throws UsageError naming the field and its range
};

// Minimises P(w) by maximising the dual, an example at a time; a pass is as many draws as there are
// examples.  Throws UsageError unless the loss is log-loss.  The parts must be so fine that they
// determine the entropy.  Cost of a pass: for each draw a sum oracle and a few entropies, and a sum
// oracle for each example at its end.  Memory: 8 (4) bytes a part.
OptimizeResult sdca(DualProblem& problem, const SdcaOptions& options,
                    const IterationCallback& callback = {}, Checkpointer* checkpoints = nullptr);

}  // namespace croft

// Sequential minimal optimisation of the structured hinge over marginal variables.
//
// Taskar, Guestrin & Koller (2003), "Max-margin Markov networks".  docs/math/dual_optimisation.md
// section 4.
#pragma once
#include <cstddef>
#include <cstdint>

#include "croft/optimize/optimizer.h"
#include "optimize/dual/dual_problem.h"

namespace croft {

struct SmoOptions {
  // >= 1; at most so many pairs of labellings of an example, one after the other, until its
  // violation of the optimality conditions has fallen to `enough` of what it was.
  std::size_t pairs = 30;
  double enough = 0.1;     // >= 0, < 1
  std::uint64_t seed = 1;  // of the order of the examples
  StoppingRule stop{};     // gradient_tolerance: of the largest violation
  void validate() const;   // throws UsageError naming the field and its range
};

// Minimises P(w) by maximising the dual, a pair of labellings at a time.  Throws UsageError unless
// the loss is the hinge.  Parts must be so fine that any labelling whose parts all have mu > 0 may
// give some of its weight away: those of a tree are, where each pair has a place of its own.
// Iteration.gradient_norm is the largest violation.  Cost of a pair: two max oracles.  Memory: 8
// bytes a part.
OptimizeResult smo(DualProblem& problem, const SmoOptions& options,
                   const IterationCallback& callback = {}, Checkpointer* checkpoints = nullptr);

}  // namespace croft

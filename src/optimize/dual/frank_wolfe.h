// Block-coordinate Frank-Wolfe for the hinge.
//
// Lacoste-Julien, Jaggi, Schmidt & Pletscher (2013).  docs/math/dual_optimisation.md section 3.
#pragma once
#include <cstddef>
#include <cstdint>

#include "croft/optimize/optimizer.h"
#include "optimize/dual/dual_problem.h"

namespace croft {

struct FrankWolfeOptions {
  bool average = false;    // the mean of all steps' points, the k-th weighted by k
  std::size_t passes = 1;  // >= 1; to an iteration, which ends with P and the gap computed exactly
  std::uint64_t seed = 1;  // of the order of the examples
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Minimises P(w) by maximising the dual, an example at a time.  The problem is left at the answer;
// in a callback it stands at the iterate that is reported.  Throws UsageError unless its loss is
// the hinge.  Cost of a pass: a max oracle for each example, and as much again for an evaluation.
// Memory: 8 bytes a part, 16 with `average`.
OptimizeResult frank_wolfe(DualProblem& problem, const FrankWolfeOptions& options,
                           const IterationCallback& callback = {},
                           Checkpointer* checkpoints = nullptr);

}  // namespace croft

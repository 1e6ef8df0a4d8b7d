// Exponentiated gradient on the dual, for log-loss and for the hinge.
//
// Collins, Globerson, Koo, Carreras & Bartlett (2008).  docs/math/dual_optimisation.md section 5.
#pragma once
#include <cstddef>
#include <cstdint>

#include "croft/optimize/optimizer.h"
#include "optimize/dual/dual_problem.h"

namespace croft {

struct ExponentiatedGradientOptions {
  bool batch = false;       // all examples in one step; otherwise one after the other
  double step = 1;          // the first one, > 0; for log-loss <= 1, where 1 forgets what was
  double growth = 1.05;     // >= 1; factor after a step that raised the dual; one that did not: 1/2
  std::size_t trials = 20;  // >= 1; of a step, each half as long as the one before
  // theta' of the gold label of a position at the start, the others' being 0: the larger, the
  // nearer w is to 0.  >= 0; 0: all labellings alike.
  double confidence = 6;
  std::uint64_t seed = 1;  // of the order of the examples
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Minimises P(w) by maximising the dual.  The dual variables are the marginals of
// exp(theta'_n . y), and theta'_n is what is stored: any theta'_n is feasible.  An iteration is a
// pass, or with `batch` a step, after which P and the gap are computed exactly.  Throws UsageError
// for step > 1 with log-loss.  Cost of a pass: a sum oracle for each example and trial, and an
// evaluation.  Memory: 16 bytes a part, 24 with `batch`.
OptimizeResult exponentiated_gradient(DualProblem& problem,
                                      const ExponentiatedGradientOptions& options,
                                      const IterationCallback& callback = {},
                                      Checkpointer* checkpoints = nullptr);

}  // namespace croft

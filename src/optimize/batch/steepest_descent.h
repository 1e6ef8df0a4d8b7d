// Steepest descent with line search: the yardstick that the other methods are measured by.
//
//   w <- w - step g(w)                                                                       (B.2)
//
// Nocedal & Wright (2006) section 3.3.  docs/math/batch_optimisation.md section 2.
#pragma once
#include <cstddef>
#include <span>

#include "croft/core/parallel.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"

namespace croft {

struct SteepestDescentOptions {
  std::size_t max_line_search = 20;  // evaluations in one line search, >= 1
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Minimises f(w) + (l2/2)|w|^2 from w (in and out).  Throws as lbfgs() does, and for l1 > 0.
// After each iteration and in the end w is the last accepted iterate.
// Memory: 4 doubles a weight beside w.
OptimizeResult steepest_descent(BatchFunction& f, const Regulariser& regulariser,
                                std::span<double> w, const SteepestDescentOptions& options,
                                ThreadPool& pool, const IterationCallback& callback = {},
                                Checkpointer* checkpoints = nullptr);

}  // namespace croft

// Newton's method with the whole Hessian: the reference for all others, for a few thousand weights.
//
//   (H + tau I) d = -g,     tau >= 0 as small as makes the matrix positive definite          (B.10)
//
// Nocedal & Wright (2006) section 3.4.  docs/math/batch_optimisation.md section 5.
#pragma once
#include <cstddef>
#include <span>

#include "croft/core/parallel.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"

namespace croft {

struct NewtonOptions {
  static constexpr std::size_t kMaxWeights = 5000;  // 200 MB
  std::size_t max_line_search = 20;                 // evaluations in one line search, >= 1
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Minimises f(w) + (l2/2)|w|^2 from w (in and out).  Throws as lbfgs() does, and UsageError for
// l1 > 0 and for more than kMaxWeights weights, with the memory that they would take.
// After each iteration and in the end w is the last accepted iterate.
// Memory: n^2 + 7 n doubles for n weights.  Time of an iteration: n products with the Hessian, and
// O(n^3 / 3).
OptimizeResult newton(CurvedFunction& f, const Regulariser& regulariser, std::span<double> w,
                      const NewtonOptions& options, ThreadPool& pool,
                      const IterationCallback& callback = {}, Checkpointer* checkpoints = nullptr);

}  // namespace croft

// Newton's method by products with the Hessian alone, inside a trust region.
//
//   minimise  q(s) = g's + s'H s / 2   over |s| <= radius,  by conjugate gradients (B.11)
//
// Steihaug (1983); Lin, Weng & Keerthi (2008).  docs/math/batch_optimisation.md section 6.
#pragma once
#include <cstddef>
#include <span>

#include "croft/core/parallel.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"

namespace croft {

struct TruncatedNewtonOptions {
  // The inner iteration ends at |g + H s| <= accuracy |g|; in (0, 1).  The smaller, the more
  // products for fewer evaluations.
  double accuracy = 0.1;
  std::size_t max_products = 500;  // with the Hessian in one inner iteration, >= 1
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Minimises f(w) + (l2/2)|w|^2 from w (in and out).  Throws as lbfgs() does, and for l1 > 0.
// After each iteration and in the end w is the last accepted iterate.  Products with the Hessian
// are not counted as evaluations. Memory: 7 doubles a weight beside w.
OptimizeResult truncated_newton(CurvedFunction& f, const Regulariser& regulariser,
                                std::span<double> w, const TruncatedNewtonOptions& options,
                                ThreadPool& pool, const IterationCallback& callback = {},
                                Checkpointer* checkpoints = nullptr);

}  // namespace croft

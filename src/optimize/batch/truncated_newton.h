// Newton's method by products with the Hessian alone, inside a trust region.
//
//   minimise  q(s) = g's + s'H s / 2   over |s| <= radius,  by conjugate gradients (B.11)
//
// where |s|^2 = s'M s, and M is the identity or any matrix near H that is easily solved for.
//
// Steihaug (1983); Lin, Weng & Keerthi (2008).  docs/math/batch_optimisation.md section 6.
#pragma once
#include <cstddef>
#include <functional>
#include <span>

#include "croft/core/parallel.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"

namespace croft {

struct TruncatedNewtonOptions {
  // The inner iteration ends at |g + H s| <= accuracy |g|; in (0, 1).  The smaller, the more
  // products for fewer evaluations.
  double accuracy = 0.1;
  // And where one more product brings less than this part of what those so far have brought on
  // average; in [0, 1).
  double least_gain = 0.5;
  std::size_t max_products = 500;  // with the Hessian in one inner iteration, >= 1
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

using Preconditioner = std::function<void(std::span<double> r)>;  // r = M^-1 r
// The one that fits the Hessian of F at w; a function of w alone, so that a run can be resumed.
using PreconditionerAt = std::function<Preconditioner(std::span<const double> w)>;

// Minimises f(w) + (l2/2)|w|^2 from w (in and out).  Throws as lbfgs() does, and for l1 > 0.
// After each iteration and in the end w is the last accepted iterate.  Products with the Hessian
// are not counted as evaluations. Memory: 7 doubles a weight beside w, 8 with a preconditioner.
//   precondition : called once for each iterate; empty: M = I
OptimizeResult truncated_newton(CurvedFunction& f, const Regulariser& regulariser,
                                std::span<double> w, const TruncatedNewtonOptions& options,
                                ThreadPool& pool, const IterationCallback& callback = {},
                                Checkpointer* checkpoints = nullptr,
                                const PreconditionerAt& precondition = {});

}  // namespace croft

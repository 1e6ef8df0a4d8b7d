// Batch methods for smooth objectives, beside L-BFGS (croft/optimize/lbfgs.h).
// docs/math/batch_optimisation.md
//
// All minimise f(w) + (l2/2)|w|^2 from w (in and out).  They throw as lbfgs() does, and UsageError
// for l1 > 0.  After each iteration and in the end w is the last accepted iterate.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "croft/core/parallel.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"

namespace croft {

struct DescentOptions {
  std::size_t max_line_search = 20;  // evaluations in one line search, >= 1
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Steepest descent with line search: the yardstick that the other methods are measured by.
//
//   w <- w - step g(w)                                                                       (B.2)
//
// Nocedal & Wright (2006) section 3.3; section 2 of the page.  Memory: 4 doubles a weight beside w.
OptimizeResult steepest_descent(BatchFunction& f, const Regulariser& regulariser,
                                std::span<double> w, const DescentOptions& options,
                                ThreadPool& pool, const IterationCallback& callback = {},
                                Checkpointer* checkpoints = nullptr);

// Nonlinear conjugate gradients: a direction that spoils nothing of what the last one gained.
//
//   d <- -P g + beta d                                                                       (B.4)
//
// P is the identity, or a diagonal matrix near the inverse sizes of the Hessian's rows.
// Polak & Ribiere (1969); Hager & Zhang (2005); Sha & Pereira (2003); section 3 of the page.
enum class ConjugateFormula {
  polak_ribiere,  // (B.5), where negative: restart
  hager_zhang     // (B.6)
};

enum class Preconditioning {
  none,
  diagonal,  // P from differences of gradients (B.7)
  mixed      // the same for the first `mixed_iterations`, then none
};

struct ConjugateGradientOptions {
  ConjugateFormula formula = ConjugateFormula::hager_zhang;
  Preconditioning preconditioning = Preconditioning::none;
  std::size_t probes = 3;             // evaluations for each estimate of P, >= 1
  std::size_t refresh = 50;           // iterations with one P, >= 1; a new one is a restart
  std::size_t mixed_iterations = 50;  // only for `mixed`
  std::uint64_t seed = 1;             // of the random vectors in (B.7)
  std::size_t max_line_search = 20;   // evaluations in one line search, >= 1
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Memory: 4 doubles a weight beside w, 5 with a preconditioner.
OptimizeResult conjugate_gradient(BatchFunction& f, const Regulariser& regulariser,
                                  std::span<double> w, const ConjugateGradientOptions& options,
                                  ThreadPool& pool, const IterationCallback& callback = {},
                                  Checkpointer* checkpoints = nullptr);

// Of the two methods that hold a matrix.  They throw UsageError for more, with the memory that
// these would take.
inline constexpr std::size_t kMostMatrixWeights = 5000;  // 200 MB

// BFGS with the whole matrix: the reference for L-BFGS, for a few thousand weights.
//
// Nocedal & Wright (2006) section 6.1; section 4 of the page.
// Memory: n^2 + 6 n doubles for n weights.  Time O(n^2) an iteration, besides f's.
OptimizeResult bfgs(BatchFunction& f, const Regulariser& regulariser, std::span<double> w,
                    const DescentOptions& options, ThreadPool& pool,
                    const IterationCallback& callback = {}, Checkpointer* checkpoints = nullptr);

// Newton's method with the whole Hessian: the reference for all others, for a few thousand weights.
//
//   (H + tau I) d = -g,     tau >= 0 as small as makes the matrix positive definite          (B.10)
//
// Nocedal & Wright (2006) section 3.4; section 5 of the page.
// Memory: n^2 + 7 n doubles for n weights.  Time of an iteration: n products with the Hessian, and
// O(n^3 / 3).
OptimizeResult newton(CurvedFunction& f, const Regulariser& regulariser, std::span<double> w,
                      const DescentOptions& options, ThreadPool& pool,
                      const IterationCallback& callback = {}, Checkpointer* checkpoints = nullptr);

// Newton's method by products with the Hessian alone, inside a trust region.
//
//   minimise  q(s) = g's + s'H s / 2   over |s| <= radius,  by conjugate gradients (B.11)
//
// where |s|^2 = s'M s, and M is the identity or any matrix near H that is easily solved for.
//
// Steihaug (1983); Lin, Weng & Keerthi (2008); section 6 of the page.
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

// Products with the Hessian are not counted as evaluations.  Memory: 7 doubles a weight beside w, 8
// with a preconditioner.
//   precondition : called once for each iterate; empty: M = I
OptimizeResult truncated_newton(CurvedFunction& f, const Regulariser& regulariser,
                                std::span<double> w, const TruncatedNewtonOptions& options,
                                ThreadPool& pool, const IterationCallback& callback = {},
                                Checkpointer* checkpoints = nullptr,
                                const PreconditionerAt& precondition = {});

}  // namespace croft

// Nonlinear conjugate gradients: a direction that spoils nothing of what the last one gained.
//
//   d <- -P g + beta d                                                                       (B.4)
//
// P is the identity, or a diagonal matrix near the inverse sizes of the Hessian's rows.
// Polak & Ribiere (1969); Hager & Zhang (2005); Sha & Pereira (2003).
// docs/math/batch_optimisation.md section 3.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "croft/core/parallel.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"

namespace croft {

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

// Minimises f(w) + (l2/2)|w|^2 from w (in and out).  Throws as lbfgs() does, and for l1 > 0.
// After each iteration and in the end w is the last accepted iterate.
// Memory: 4 doubles a weight beside w, 5 with a preconditioner.
OptimizeResult conjugate_gradient(BatchFunction& f, const Regulariser& regulariser,
                                  std::span<double> w, const ConjugateGradientOptions& options,
                                  ThreadPool& pool, const IterationCallback& callback = {},
                                  Checkpointer* checkpoints = nullptr);

}  // namespace croft

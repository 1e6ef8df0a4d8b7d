// Iterative scaling of log-linear models: each weight by itself, by what its feature was seen and
// is expected to sum to.
//
//   generalised:  d_k = log(empirical_k / expected_k) / C                 without l2        (B.16)
//   improved:     sum_T expected_k(T) exp(T d_k) + l2 (w_k + d_k) = empirical_k             (B.16)
//
// T: the largest total that the features of an example can have, over its labellings; C: the
// largest T. No iteration raises F.  Slow by nature: a step has the size 1 / T. Darroch & Ratcliff
// (1972); Della Pietra, Della Pietra & Lafferty (1997); Lafferty, McCallum & Pereira (2001); Curran
// & Clark (2003).  docs/math/batch_optimisation.md section 7.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/core/parallel.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"

namespace croft {

// Expected sums of features, by groups of examples.
struct ExpectedCounts {
  // [groups] > 0: the features of no labelling of an example of the group sum to more.
  std::vector<double> total;
  // Of each weight, the groups in which its feature can be other than 0.
  std::vector<std::uint64_t> begin{0};  // [dimension + 1] into the next two
  std::vector<std::uint16_t> group;     // increasing for a weight
  AlignedVector<double> expected;       // >= 0
};

// f of a log-linear model with features >= 0:
//   f = sum_n q_n (log Z_n - w.f(x_n, y_n)),     df/dw = expected - empirical                (B.14)
class ExpectationFunction : public BatchFunction {
 public:
  virtual std::span<const double> empirical() const = 0;  // [dimension] >= 0
  virtual const ExpectedCounts& expected() const = 0;     // at the w of the last evaluation
};

struct IterativeScalingOptions {
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Minimise f(w) + (l2/2)|w|^2 from w (in and out).  Throw as lbfgs() does, and UsageError for l1 >
// 0, for an empirical count below 0, and for one of 0 where l2 = 0 and the feature is expected: its
// weight has no minimum. An iteration costs one evaluation, and O(begin.back()) exponentials for
// the improved method. Memory: 4 doubles a weight beside w and f's own.
OptimizeResult generalised_iterative_scaling(ExpectationFunction& f, const Regulariser& regulariser,
                                             std::span<double> w,
                                             const IterativeScalingOptions& options,
                                             ThreadPool& pool,
                                             const IterationCallback& callback = {},
                                             Checkpointer* checkpoints = nullptr);
OptimizeResult improved_iterative_scaling(ExpectationFunction& f, const Regulariser& regulariser,
                                          std::span<double> w,
                                          const IterativeScalingOptions& options, ThreadPool& pool,
                                          const IterationCallback& callback = {},
                                          Checkpointer* checkpoints = nullptr);

}  // namespace croft

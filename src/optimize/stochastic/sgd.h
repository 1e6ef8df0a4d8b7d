// Stochastic gradient descent: a step after every sample, or after every few.
//
//   w <- (w - eta g_n(w)) / (1 + eta lambda),   lambda = l2 / N                            (SG.2)
//
// Bottou (2010); with l1 > 0 the cumulative penalty of Tsuruoka, Tsujii & Ananiadou (2009);
// averaged: Polyak & Juditsky (1992), Xu (2011).
// docs/math/stochastic_optimisation.md sections 2 to 4
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "croft/core/parallel.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"
#include "optimize/stochastic/step_schedule.h"

namespace croft {

struct SgdOptions {
  StepSchedule schedule = StepSchedule::bottou;
  std::optional<double> step{};            // eta0 > 0; by default calibrated
  std::size_t calibration_samples = 1000;  // that the calibration tries steps on, >= 1
  double decay = 0.9;                      // of eta in each pass, schedule `constant`: in (0, 1]
  // Samples evaluated at the same w and then applied together, >= 1.  With more than one, threads
  // share the work; the result depends on this number, never on theirs.
  std::size_t batch = 1;
  // w is the average of all iterates from this pass on; 0: the last one.  Not with l1 > 0.
  std::size_t average_from = 0;
  // In the average the iterates of its k-th pass count k^power times (SG.7b): the more, the sooner
  // the first ones, which are far away, are forgotten.  >= 0; 0 counts all alike.
  double average_power = 3;
  // Passes between exact evaluations of F, for the report and the stopping rules.  0: none; the
  // objective is then the sum of the losses met, plus R(w), and the gradient's norm |move of w|.
  std::size_t exact_every = 1;
  // Coordinates that are kept >= 0, by projection after each step; not with l1 > 0.
  std::span<const Run> nonnegative{};
  std::uint64_t seed = 1;
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Minimises f(w) + l1 |w|_1 + (l2/2)|w|^2 from w (in and out); an iteration is a pass.  Throws
// UsageError where options do not go together, w.size() is not f.dimension(), f has fewer workers
// than the pool threads (batch > 1) or no samples; Error when F is not finite at the start.
// In a callback w is brought up to date, and averaged where that is asked for.
// Iteration::evaluations counts a pass as one, and an exact evaluation as another.
// Memory beside w: 3 doubles a weight; 4 where l1 > 0, averaged 6.
OptimizeResult sgd(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                   const SgdOptions& options, ThreadPool& pool,
                   const IterationCallback& callback = {}, Checkpointer* checkpoints = nullptr);

}  // namespace croft

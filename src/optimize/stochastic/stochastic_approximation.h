// Stochastic approximation: steps along directions that are right on average, and shrink.
//
//   w <- (w - eta d_n(w)) / (1 + eta lambda),   E d_n = 0 where w is to end                 (GC.12)
//
// Robbins & Monro (1951); the steps, the average and the penalties are those of sgd.h.
// docs/math/general_crf.md section 9
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "croft/core/parallel.h"
#include "croft/optimize/optimizer.h"
#include "optimize/stochastic/direction_function.h"
#include "optimize/stochastic/step_schedule.h"

namespace croft {

struct StochasticApproximationOptions {
  StepSchedule schedule = StepSchedule::inverse;
  // eta0 > 0; by default 1 / (batch * mean |d_n|^2) at the start: no step goes further than what
  // the curvature of a likelihood, which is at most E |d_n|^2, allows.
  std::optional<double> step{};
  std::size_t calibration_samples = 1000;  // that this mean is of, >= 1
  double decay = 0.9;                      // as of SgdOptions
  std::size_t batch = 1;                   // likewise
  std::size_t average_from = 0;            // likewise
  std::uint64_t seed = 1;                  // of the order, and of what is drawn
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Goes from w (in and out); an iteration is a pass.  Iteration::objective is the sum of the figures
// that the pass met, and the penalty; gradient_norm is |move of w|.  Iteration 0 is a pass that
// leaves w alone.  What a sample draws depends on the seed, its number and how often it was drawn:
// the same bits for any number of threads.  Throws as sgd() does.
OptimizeResult stochastic_approximation(DirectionFunction& f, const Regulariser& regulariser,
                                        std::span<double> w,
                                        const StochasticApproximationOptions& options,
                                        ThreadPool& pool, const IterationCallback& callback = {},
                                        Checkpointer* checkpoints = nullptr);

}  // namespace croft

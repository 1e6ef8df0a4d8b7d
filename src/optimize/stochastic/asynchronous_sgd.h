// SGD by several threads that share one w and wait for nobody.
//
// Niu, Recht, Ré & Wright (2011), "Hogwild".  docs/math/stochastic_optimisation.md section 8
//
// NOT REPRODUCIBLE with more than one thread: which updates a sample sees, and which are lost
// because two threads wrote the same weight at the same moment, is up to the scheduler.
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

struct AsynchronousSgdOptions {
  StepSchedule schedule = StepSchedule::bottou;
  std::optional<double> step{};            // eta0 > 0; by default calibrated, on one thread
  std::size_t calibration_samples = 1000;  // that the calibration tries steps on, >= 1
  double decay = 0.9;                      // as of SgdOptions
  std::size_t exact_every = 1;             // as of SgdOptions
  std::uint64_t seed = 1;
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Whether two runs with the same options end at the same bits.
constexpr bool asynchronous_sgd_is_reproducible(std::size_t threads) { return threads == 1; }

// Minimises f(w) + (l2/2)|w|^2 from w (in and out); an iteration is a pass.  Throws as sgd() does,
// UsageError for l1 > 0 and where f has fewer workers than the pool threads.
// A run that is resumed goes on from what was kept, with the same reservation.
// Memory beside w: 3 doubles a weight, and 1 for each thread.
OptimizeResult asynchronous_sgd(SampleFunction& f, const Regulariser& regulariser,
                                std::span<double> w, const AsynchronousSgdOptions& options,
                                ThreadPool& pool, const IterationCallback& callback = {},
                                Checkpointer* checkpoints = nullptr);

}  // namespace croft

// Methods that minimise sample by sample.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "croft/core/parallel.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"
#include "optimize/stochastic/direction_function.h"
#include "optimize/stochastic/step_sizes.h"

namespace croft {

// Stochastic gradient descent: a step after every sample, or after every few.
//
//   w <- (w - eta g_n(w)) / (1 + eta lambda),   lambda = l2 / N                            (SG.2)
//
// Bottou (2010); with l1 > 0 the cumulative penalty of Tsuruoka, Tsujii & Ananiadou (2009);
// averaged: Polyak & Juditsky (1992), Xu (2011).
// docs/math/stochastic_optimisation.md sections 2 to 4
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

// SGD by several threads that share one w and wait for nobody.
//
// Niu, Recht, Ré & Wright (2011), "Hogwild".  docs/math/stochastic_optimisation.md section 8
//
// NOT REPRODUCIBLE with more than one thread: which updates a sample sees, and which are lost
// because two threads wrote the same weight at the same moment, is up to the scheduler.
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

// AdaGrad: a step for each coordinate, the smaller the more its gradients came to.
//
//   s_i <- s_i + g_i^2,   w_i <- w_i - eta g_i / (delta + sqrt(s_i))                       (SG.10)
//
// and AdaGrad-RDA, its form by regularised dual averaging, with weights that are exactly 0.
// Duchi, Hazan & Singer (2011).  docs/math/stochastic_optimisation.md section 5
struct AdagradOptions {
  std::optional<double> step{};            // eta > 0; by default calibrated
  std::size_t calibration_samples = 1000;  // that the calibration tries steps on, >= 1
  double delta = 1e-6;                     // > 0: keeps the first steps finite
  std::size_t batch = 1;                   // as of SgdOptions
  std::size_t exact_every = 1;             // as of SgdOptions
  std::uint64_t seed = 1;
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Minimises f(w) + (l2/2)|w|^2 from w (in and out); an iteration is a pass.  w is an average of the
// iterates in which later passes count more (SG.12).  Throws as sgd() does, and UsageError for l1 >
// 0. Memory beside w: 7 doubles a weight.
OptimizeResult adagrad(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                       const AdagradOptions& options, ThreadPool& pool,
                       const IterationCallback& callback = {}, Checkpointer* checkpoints = nullptr);

// Minimises f(w) + l1 |w|_1 + (l2/2)|w|^2, as above, but for l1 > 0 too, and w is the last iterate.
// Memory beside w: 5 doubles a weight.
OptimizeResult adagrad_rda(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                           const AdagradOptions& options, ThreadPool& pool,
                           const IterationCallback& callback = {},
                           Checkpointer* checkpoints = nullptr);

// Stochastic meta-descent: the gain of each coordinate is itself found by gradient descent.
//
//   p <- p . max(1/2, 1 - mu [g . v])
//   w <- w - p . g
//   v <- rho v - p . (g + rho H v)                                                         (SG.13)
//
// with . by coordinates, and [x] = x clipped to -1 … 1: v is the derivative of w by ln p.
// Schraudolph (1999); Vishwanathan, Schraudolph, Schmidt & Murphy (2006).
// docs/math/stochastic_optimisation.md section 6
struct SmdOptions {
  std::optional<double> gain{};  // the first p of all coordinates, > 0; by default calibrated
  std::size_t calibration_samples = 1000;  // that the calibration tries gains on, >= 1
  double meta_gain = 0.1;                  // mu, >= 0; 0: gains that stay
  double memory = 0.9;                     // rho, of v, in [0, 1]
  double gain_range = 10;                  // gains stay within this factor of the first, >= 1
  std::size_t batch = 8;                   // samples evaluated at the same w, >= 1
  std::size_t exact_every = 1;             // as of SgdOptions
  std::uint64_t seed = 1;
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Minimises f(w) + (l2/2)|w|^2 from w (in and out); an iteration is a pass.  Throws as sgd() does,
// and UsageError for l1 > 0.  H v is the difference of the batch's gradients at w + epsilon v and
// at w, so that a pass evaluates every sample twice.  Memory beside w: 9 doubles a weight.
OptimizeResult stochastic_meta_descent(SampleFunction& f, const Regulariser& regulariser,
                                       std::span<double> w, const SmdOptions& options,
                                       ThreadPool& pool, const IterationCallback& callback = {},
                                       Checkpointer* checkpoints = nullptr);

// Stochastic average gradient: a step uses the last gradient of every sample, and renews one.
//
//   w <- (1 - alpha lambda) w - (alpha / N) sum_n y_n                                      (SG.15)
//
// where y_n is the gradient of f_n at the w that n last met.
// Schmidt, Le Roux & Bach (2017); with non-uniform sampling Schmidt, Babanezhad, Ahmed, Defazio,
// Clifton & Sarkar (2015).  docs/math/stochastic_optimisation.md section 7
struct SagOptions {
  // Share of the draws that is uniform; the others are in proportion to the samples' Lipschitz
  // constants.  In (0, 1].
  double uniform = 0.5;
  double lipschitz = 1;         // guess of a sample's constant, > 0; a line search corrects it
  std::size_t exact_every = 1;  // as of SgdOptions
  std::uint64_t seed = 1;
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Minimises f(w) + (l2/2)|w|^2 from w (in and out); the samples must be smooth.  An iteration is a
// pass: the first meets every sample once, a later one draws as many, with replacement.  Throws as
// sgd() does, and UsageError for l1 > 0.
// Memory beside w: 5 doubles a weight, and a float for each coordinate of each sample's support.
OptimizeResult sag(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                   const SagOptions& options, const IterationCallback& callback = {},
                   Checkpointer* checkpoints = nullptr);

// Stochastic approximation: steps along directions that are right on average, and shrink.
//
//   w <- (w - eta d_n(w)) / (1 + eta lambda),   E d_n = 0 where w is to end                 (GC.12)
//
// Robbins & Monro (1951); the steps, the average and the penalties are those of sgd.h.
// docs/math/general_crf.md section 9
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

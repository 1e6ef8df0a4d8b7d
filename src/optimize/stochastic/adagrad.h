// AdaGrad: a step for each coordinate, the smaller the more its gradients came to.
//
//   s_i <- s_i + g_i^2,   w_i <- w_i - eta g_i / (delta + sqrt(s_i))                       (SG.10)
//
// and AdaGrad-RDA, its form by regularised dual averaging, with weights that are exactly 0.
// Duchi, Hazan & Singer (2011).  docs/math/stochastic_optimisation.md section 5
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "croft/core/parallel.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"

namespace croft {

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

}  // namespace croft

// Stochastic meta-descent: the gain of each coordinate is itself found by gradient descent.
//
//   p <- p . max(1/2, 1 - mu [g . v])
//   w <- w - p . g
//   v <- rho v - p . (g + rho H v)                                                         (SG.13)
//
// with . by coordinates, and [x] = x clipped to -1 … 1: v is the derivative of w by ln p.
// Schraudolph (1999); Vishwanathan, Schraudolph, Schmidt & Murphy (2006).
// docs/math/stochastic_optimisation.md section 6
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "croft/core/parallel.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"

namespace croft {

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

}  // namespace croft

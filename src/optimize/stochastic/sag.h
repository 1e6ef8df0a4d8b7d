// Stochastic average gradient: a step uses the last gradient of every sample, and renews one.
//
//   w <- (1 - alpha lambda) w - (alpha / N) sum_n y_n                                      (SG.15)
//
// where y_n is the gradient of f_n at the w that n last met.
// Schmidt, Le Roux & Bach (2017); with non-uniform sampling Schmidt, Babanezhad, Ahmed, Defazio,
// Clifton & Sarkar (2015).  docs/math/stochastic_optimisation.md section 7
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"

namespace croft {

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

}  // namespace croft

// AROW, adaptive regularisation of weights: a Gaussian over each weight narrows where it was used.
//
//   beta = 1 / (g' S g + gamma),  w <- w - beta l S g,  1/S_i <- 1/S_i + g_i^2 / gamma      (SG.26)
//
// where l = f_n(w) > 0 and S is diagonal.  Crammer, Kulesza & Dredze (2009).
// docs/math/stochastic_optimisation.md section 11
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"
#include "optimize/stochastic/perceptron.h"

namespace croft {

struct ArowOptions {
  double variance = 1;  // of every weight at first, > 0
  double gamma = 1;     // r: > 0, the larger the smaller the steps
  std::uint64_t seed = 1;
  StoppingRule stop = online_stopping_rule();
  void validate() const;  // throws UsageError naming the field and its range
};

// Learns from w (in and out), as perceptron() does, and reports and throws as it.  Iteration::step
// is the last beta l of the pass.  Memory beside w: 2.5 doubles a weight.
OptimizeResult arow(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                    const ArowOptions& options, const IterationCallback& callback = {},
                    Checkpointer* checkpoints = nullptr);

}  // namespace croft

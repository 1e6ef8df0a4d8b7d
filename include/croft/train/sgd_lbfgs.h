// Averaged SGD for a few passes, then L-BFGS: what `croft train` does by default.
//
// From w = 0 the gradient of all the data at once points badly, and L-BFGS spends half of its
// evaluations on a way that a few passes of SGD make for the price of twenty.  Near the minimum SGD
// crawls, and L-BFGS does not.  docs/performance.md has the figures.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "croft/optimize/lbfgs.h"
#include "croft/optimize/sgd.h"
#include "croft/train/chain_sample_function.h"

namespace croft {

struct SgdLbfgsOptions {
  std::size_t passes = 8;        // of SGD
  std::optional<double> step{};  // of SGD, constant; by default 0.1
  std::size_t batch = 1;         // samples a step
  std::uint64_t seed = 1;
  LbfgsOptions lbfgs{};
};

// Minimises f(w) + (l2/2)|w|^2 from w, which is in the layout's order.  Iterations are numbered
// through: the first are passes, reported with the sum of the losses that each met, before the step
// that follows, plus the penalty; no rule for stopping looks at these.
//   samples : makes f sample by sample; called once, and let go of before L-BFGS starts
OptimizeResult sgd_lbfgs(BatchFunction& f,
                         const std::function<std::unique_ptr<ChainSampleFunction>()>& samples,
                         const Regulariser& regulariser, std::span<double> w,
                         const SgdLbfgsOptions& options, ThreadPool& pool,
                         const IterationCallback& callback = {},
                         Checkpointer* checkpoints = nullptr);

}  // namespace croft

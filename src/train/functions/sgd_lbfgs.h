// Averaged SGD for a few passes, then L-BFGS, preconditioned at first: what `croft train` does by
// default.
//
// From w = 0 the gradient of all the data at once points badly, and L-BFGS spends a third of its
// evaluations on a way that a few passes of SGD make for the price of twenty.  Where these end the
// curvature is about what it is at the minimum, and a preconditioner (row_preconditioner.h) spares
// L-BFGS most of the others.  What is left then are directions that hardly bend, which it makes
// slow: the rest is done without.  docs/performance.md has the figures.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "croft/optimize/lbfgs.h"
#include "optimize/stochastic/online_methods.h"
#include "optimize/stochastic/sample_methods.h"
#include "train/functions/chain_sample_function.h"
#include "train/functions/row_preconditioner.h"

namespace croft {

// A function sample by sample, whose weights may stand in another order than the batch function's.
struct SampleSpace {
  using Rearrange = std::function<void(std::span<const double> from, std::span<double> to)>;
  std::shared_ptr<SampleFunction> f;
  Rearrange expand, compress;  // to the space of f, and back; empty: the order is the same
  std::function<VotedPerceptron(VotedPerceptron)> compress_vote;  // the same of a vote

  SampleSpace(std::unique_ptr<ChainSampleFunction> chain);  // NOLINT: a chain's is one
  explicit SampleSpace(SampleFunction& same);               // keeps a reference
};

struct SgdLbfgsOptions {
  std::size_t passes = 8;        // of SGD
  std::optional<double> step{};  // of SGD, constant; by default 0.1
  std::size_t batch = 1;         // samples a step; more than there are: all
  std::uint64_t seed = 1;
  LbfgsOptions lbfgs{};
};

// Minimises f(w) + (l2/2)|w|^2 from w, which is in the layout's order.  Iterations are numbered
// through: the first are passes, reported with the sum of the losses that each met, before the step
// that follows, plus the penalty; no rule for stopping looks at these.
//   samples      : makes f sample by sample; called once, and let go of before L-BFGS starts
//   precondition : makes the preconditioner at w; empty: there is none
using PreconditionerMaker =
    std::function<std::unique_ptr<RowPreconditioner>(std::span<const double> w)>;
OptimizeResult sgd_lbfgs(BatchFunction& f, const std::function<SampleSpace()>& samples,
                         const PreconditionerMaker& precondition, const Regulariser& regulariser,
                         std::span<double> w, const SgdLbfgsOptions& options, ThreadPool& pool,
                         const IterationCallback& callback = {},
                         Checkpointer* checkpoints = nullptr);

}  // namespace croft

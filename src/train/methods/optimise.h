// The one place where objective and optimiser meet, whatever the structure.
//
// A training says what it has to minimise by makers of functions; the method asks for the one that
// it looks at.  Which methods a structure has functions for stands in methods.h.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <variant>

#include "optimize/batch/batch_methods.h"
#include "optimize/batch/coordinate_descent.h"
#include "optimize/batch/iterative_scaling.h"
#include "optimize/batch/span_lbfgs.h"
#include "optimize/dual/dual_problem.h"
#include "optimize/stochastic/direction_function.h"
#include "optimize/stochastic/online_methods.h"
#include "train/dual/chain_ascent.h"
#include "train/functions/sgd_lbfgs.h"
#include "train/methods/methods.h"
#include "train/weight_prior.h"

namespace croft {

// References that makers return are good until optimise() does.  Each is called once, or never.
struct OptimizeProblem {
  Method method;
  const MethodSettings& settings;
  const Regulariser& regulariser;
  const StoppingRule& stop;
  std::uint64_t seed;
  ThreadPool& pool;
  const WeightPrior* prior = nullptr;     // whose variables `batch`, `curved` and `samples` are of
  bool show_weights = false;              // callbacks need them from every method that has them
  bool by_default = false;                // nobody asked for the method: it may give way (D.28)
  std::span<const Run> nonnegative = {};  // kept >= 0 by SGD and cutting planes

  // The data term: of all samples at once; the same with its second derivative; by the sample.
  std::function<BatchFunction&()> batch{};
  std::function<CurvedFunction&()> curved{};
  std::function<SampleSpace(std::size_t workers)> samples{};
  PreconditionerMaker preconditioner{};      // of L-BFGS after passes of SGD; may be empty
  PreconditionerAt newton_preconditioner{};  // may be empty
  // Of the likelihood alone.
  std::function<std::unique_ptr<ExpectationFunction>(bool groups)> expectations{};
  std::function<SoftmaxColumns()> columns{};
  template <class Real>
  using Span = std::unique_ptr<SpanFunction<Real>>;
  std::function<std::variant<Span<float>, Span<double>>()> span{};
  std::function<OptimizeResult(const ChainAscentOptions& options, std::span<double> w,
                               const IterationCallback& callback, Checkpointer* checkpoints)>
      ascent{};
  std::function<DualProblem&()> dual{};
  // Where there is no value.
  std::function<std::unique_ptr<DirectionFunction>()> directions{};
};

// Minimises from w (in and out; in the layout's order, in callbacks too).
//   vote : where given, filled in by the voted perceptron; coordinates: places in w
OptimizeResult optimise(const OptimizeProblem& problem, std::span<double> w,
                        const IterationCallback& callback, Checkpointer* checkpoints,
                        std::optional<VotedPerceptron>* vote = nullptr);

}  // namespace croft

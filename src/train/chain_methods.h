// Trains the weights of a chain by an objective and a method chosen at run time.
#pragma once
#include <memory>
#include <optional>
#include <span>

#include "objective/label_cost.h"
#include "optimize/stochastic/online_methods.h"
#include "train/functions/chain_batch_function.h"
#include "train/functions/unlabelled_function.h"
#include "train/methods/objectives.h"
#include "train/weight_prior.h"

namespace croft {

class ExpectationFunction;  // optimize/batch/iterative_scaling.h

// Of the scores' and recursions' arithmetic where has_precision(method); others are in double.
enum class Precision {
  automatic,  // twice where there are few positions, otherwise single
  single,
  twice
};

// An objective in either precision.
struct ObjectiveMakers {
  ObjectiveMaker<float> single;
  ObjectiveMaker<double> twice;
  // How many of a sequence's rows are positions; the others, behind them, may be shared by several
  // parts of a labelling.  Empty: all are.  Of dual-ascent.
  std::function<std::size_t(std::size_t n)> positions{};
  // Of gis and iis.
  std::function<std::unique_ptr<ExpectationFunction>()> expectations{};
};

// What is to be minimised, and how.
struct ChainProblem {
  const ChainData& data;
  const ChainLayout& layout;
  ThreadPool& pool;
  Objective objective = Objective::likelihood;
  std::size_t block = 0;            // of `composite`
  bool observed_pieces = false;     // of `piecewise`
  const LabelCost* cost = nullptr;  // of objectives that have one
  bool twice = false;               // in double precision
  bool show_weights = false;        // callbacks need them from every method that has them
  Method method = Method::lbfgs;
  bool by_default = false;  // nobody asked for it
  MethodSettings settings{};
  Regulariser regulariser{};
  const WeightPrior* prior = nullptr;
  StoppingRule stop{};
  std::uint64_t seed = 1;
  // Data without labels, and what it adds to the objective; null: nothing.
  const ChainData* unlabelled = nullptr;
  const UnlabelledTerms* terms = nullptr;
  ObjectiveMaker<double> log_partition{};  // of it; empty: that of chains
  // In the place of `objective`, which says what goes with it: that of a model whose scores are not
  // yet those of labels (train/joint_training.h).
  const ObjectiveMakers* own_objective = nullptr;
};

// More than one vector of weights: what some methods find.
struct ChainFindings {
  std::optional<KernelExpansion> kernel;
  std::optional<VotedPerceptron> vote;  // coordinates: places in the layout's w
};

// The data term alone, of a problem's objective.
std::unique_ptr<ChainFunction> make_chain_function(const ChainProblem& problem,
                                                   const ChainData& data,
                                                   const ChainLayout& layout);

// Minimises from w (in and out; in the layout's order, in callbacks too).  Throws UsageError where
// problem and method do not go together in ways that depend on the data.
OptimizeResult train_chain(const ChainProblem& problem, std::span<double> w,
                           const IterationCallback& callback, Checkpointer* checkpoints,
                           ChainFindings& findings);

}  // namespace croft

// Trains the weights of a general CRF by an objective and a method chosen at run time.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/optimize/optimizer.h"
#include "inference/graph/oracles/sum_oracle.h"
#include "objective/graph/graph_objective.h"
#include "train/graph/graph_function.h"
#include "train/graph/label_weights.h"
#include "train/graph/sample_rank.h"
#include "train/methods/choice.h"
#include "train/weight_prior.h"

namespace croft {

// Of inference inside of objectives.  What an objective has no use for must be left unset.
struct GraphInferenceSettings {
  std::optional<double> memory;  // bytes that a junction tree may take; 0: no limit
  // Of messages or mean field: "stopped after k steps"; sweeps of Gibbs sampling.
  std::optional<std::size_t> max_iterations;
  std::optional<double> damping;      // of messages
  std::optional<double> cost;         // of a wrong label, SampleRank's margin; default 1
  std::optional<std::string> search;  // for the best assignment; default: automatic
  std::optional<bool> pairs;          // SampleRank changes two variables at once, too
  // Of piecewise: "factors" (default), "observations"; of piecewise and composite: blocks of
  // the data, or a template, whose cliques' variables are pieces or blocks.
  std::optional<std::string> pieces;
};

struct UnlabelledGraphs;

// Whether it has no value, but directions alone (optimize/direction_function.h).
bool is_direction(Objective objective);

// What train_graph() has found beside the weights.
struct GraphFindings {
  // Of a graph each, in evaluations of the objective; directions have none.
  std::size_t inferences = 0, not_converged = 0;
  std::size_t last_not_converged = 0;  // of instances, in the last evaluation of all
};

// What is to be minimised, and how.
struct GraphProblem {
  const CliqueSchema& schema;
  const CliqueRows& rows;
  const GraphLayout& layout;
  std::span<GraphInstance> instances;
  ThreadPool& pool;
  Objective objective = Objective::likelihood;
  GraphInferenceSettings inference{};
  Method method = Method::lbfgs;
  MethodSettings settings{};
  Regulariser regulariser{};
  StoppingRule stop{};
  std::uint64_t seed = 1;
  RankLoss rank_loss{};  // of SampleRank; default: wrong labels
  const WeightPrior* prior = nullptr;
  bool from_weights = false;          // training starts from a model's
  GraphFindings* findings = nullptr;  // where given: filled in
  // Of objectives whose terms are of one variable each; null: all terms weigh 1.
  const VariableWeights* variable_weights = nullptr;
  UnlabelledGraphs* unlabelled = nullptr;  // null: there are none (train/graph/graph_unlabelled.h)
};

// Throws UsageError for what does not go together or would be ignored, naming what would go.
void check_graph_choice(const GraphProblem& problem);
// Of objectives that sum over what is hidden: likelihood, bethe and mean-field.
std::optional<SumOracleMaker> graph_sums(Objective objective,
                                         const GraphInferenceSettings& settings);
// Of an objective that has a value: not of Gibbs sampling's and SampleRank.
GraphObjectiveMaker make_graph_objective(Objective objective,
                                         const GraphInferenceSettings& settings);

// Of the best labels: what --search says, by default the automatic one.
MaxOracleMaker graph_search(const GraphInferenceSettings& settings);

// Minimises from w (in and out).  Calls check_graph_choice().
OptimizeResult train_graph(const GraphProblem& problem, std::span<double> w,
                           const IterationCallback& callback, Checkpointer* checkpoints = nullptr);

// What check_graph_choice() and train_graph() both need to know.  Internal to train/.

bool is_associative(const Interaction& interaction);
// Whether weights of associative cliques are kept >= 0, so that cuts are exact.
bool keeps_associative(const GraphProblem& problem);

}  // namespace croft

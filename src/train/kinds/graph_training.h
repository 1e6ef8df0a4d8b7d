// The training of a general CRF: instances, layout, objective, optimiser, in this order.
//
//   GraphTraining training(data, std::move(features));
//   const GraphTrainResult result = training.run(options, callback);
//   training.model(source, record).write("m.croft");
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "features/clique_data.h"
#include "model/kinds/graph_model.h"
#include "train/checkpoint.h"
#include "train/graph/graph_em.h"
#include "train/graph/graph_holdout.h"
#include "train/graph/graph_methods.h"
#include "train/graph/graph_prior.h"
#include "train/graph/graph_unlabelled.h"
#include "train/kinds/self_training.h"
#include "train/training_watch.h"
#include "train/unlabelled_terms.h"

namespace croft {
class Json;

struct GraphTrainOptions {
  FeatureSet features = FeatureSet::all;
  std::size_t min_count = 1;  // >= 1
  Objective objective = Objective::likelihood;
  std::optional<Method> method;  // default: the objective's
  GraphInferenceSettings inference;
  MethodSettings settings;
  Regulariser regulariser{.l1 = 0, .l2 = 1};
  StoppingRule stop;
  std::uint64_t seed = 1;
  std::size_t threads = 1;  // 0: one for each processor
  // With hidden variables a start at 0 is a saddle: weights start as normal numbers of this
  // standard deviation, and the best of so many starts is kept.
  double start_deviation = 0.1;
  std::size_t starts = 1;
  // By EM, of which stop.max_iterations are E steps (train/graph_em.h); otherwise by the gradient.
  std::optional<GraphEmOptions> em;
  RankLoss rank_loss{};  // of SampleRank; default: wrong labels
  // How the labels of what is held out do, by the variables of its data (train/graph_holdout.h).
  std::function<HoldoutScore(std::span<const State> labels)> score;
  std::size_t early_stop = 0;  // iterations without a better score before stopping; 0: never
  std::optional<LabelWeights> label_weights;  // train/graph/label_weights.h
  // Training starts from its weights, and with `prior` the penalty is of the distance from them.
  std::shared_ptr<const GraphModel> init;
  bool prior = false;
  VariancesOf variances;  // of the penalty, relative to 1 / l2, by names TEMPLATE:FEATURE; empty: 1
  // What data without labels is for: that of GraphTraining::add_unlabelled(), or, where there is
  // none, the hidden variables of the training data.
  UnlabelledOptions unlabelled;
  CheckpointFolder* checkpoints = nullptr;
  Ranks* helpers = &no_other_ranks();  // processes that train on the same data together

  void validate() const;  // throws UsageError naming the option
  Method chosen_method() const;
  // Of what the data is like: with many instances, all labels known, and a smooth objective, passes
  // of SGD come before L-BFGS.
  static constexpr std::size_t kManyInstances = 100;
  Method chosen_method(std::size_t instances, bool hidden) const;
};

// Whether its inference is a search for the best labelling: what GraphFindings count as not
// converged is then a labelling that has not been proven to be the best.
bool searches(Objective objective);

struct GraphTrainResult : WatchedResult {  // of the start that was kept
  std::size_t kept_start = 0;              // from 0
  std::vector<double> objectives;          // of each start
  Method method = Method::lbfgs;           // that was chosen
  GraphFindings findings;                  // of the start that was kept
  std::optional<SelfTrainingReport> self_training;
};

class GraphTraining {
 public:
  // Takes the data's cliques.  Keeps the data by reference.  What it holds out is not trained on,
  // and neither are instances of weight 0.
  //   features : [templates] names of features, by the numbers that the data has
  GraphTraining(CliqueData& data, std::vector<StringTable> features);
  // What else is not trained on: all of this data, whose features have the training's numbers.
  void hold_out(CliqueData& data);
  // Data without labels, whose labels, if any, are not looked at: all of this data, likewise.
  void add_unlabelled(CliqueData& data);

  // Throws UsageError for bad options, Error when there is no variable, clique or feature.
  GraphTrainResult run(const GraphTrainOptions& options, const TrainingCallback& callback);

  std::span<const double> weights() const { return weights_; }
  const GraphLayout& layout() const { return layout_; }
  std::span<GraphInstance> instances() { return instances_; }  // that are trained on
  std::span<const GraphInstance> instances() const { return instances_; }
  std::span<const StringTable> features() const { return features_; }  // [templates]
  std::size_t hidden() const;  // variables whose state is not known
  std::span<const GraphInstance> unlabelled() const { return unlabelled_.instances; }
  std::size_t held_out() const { return holdout_ ? holdout_->instances() : 0; }  // instances
  // After run(): the model file's sections.
  //   source : what the front end wants to find again in GraphModel::source()
  ContainerWriter model(const Json& source, const Json& training) const;

 private:
  void weigh_labels(const LabelWeights& weights, GraphProblem& problem,
                    std::optional<VariableWeights>& variables);
  void check_possible(std::size_t hidden);
  void set_unlabelled(const GraphTrainOptions& options, GraphProblem& problem);
  OptimizeResult train_in_rounds(const UnlabelledOptions& options, const GraphProblem& problem,
                                 std::span<double> w, const IterationCallback& see,
                                 SelfTrainingReport& report);

  CliqueData& data_;
  std::vector<StringTable> features_;
  std::vector<GraphInstance> instances_;
  std::optional<GraphHoldout> holdout_;
  UnlabelledGraphs unlabelled_;
  std::vector<std::string> unlabelled_names_;  // [instances without labels]
  GraphLayout layout_;
  std::vector<double> weights_;
};

}  // namespace croft

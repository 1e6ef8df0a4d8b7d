// The training of a chain: data, layout, objective, optimiser, hold-out, in this order.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/features/chain_data.h"
#include "croft/features/extraction.h"
#include "croft/model/chain_model.h"
#include "croft/model/history_layout.h"
#include "croft/objective/label_cost.h"
#include "croft/optimize/lbfgs.h"
#include "croft/train/active_set.h"
#include "croft/train/chain_methods.h"
#include "croft/train/checkpoint.h"
#include "croft/train/training_watch.h"

namespace croft {

// With fewer positions double precision costs nothing that anyone would notice, and the last steps of
// an optimiser, which single precision cannot tell apart, are made.
inline constexpr std::size_t kFewPositions = 20'000;

struct TrainOptions {
  FeatureSet features = FeatureSet::observed;
  std::size_t min_count = 1;  // >= 1
  Regulariser regulariser{.l1 = 0, .l2 = 1};
  Objective objective = Objective::likelihood;
  std::size_t block = 3;         // labels in a block of `composite`, >= 1
  std::optional<Method> method;  // default: default_method()
  MethodSettings settings;
  StoppingRule stop;
  std::uint64_t seed = 1;        // of all that is drawn
  std::size_t order = 1;      // of the chain: how many labels back its scores look; 1 to kMostOrder
  std::optional<HistorySet> histories;  // only with order >= 2; default: seen
  Precision precision = Precision::automatic;
  std::size_t threads = 1;    // 0: one per processor
  // The cost of mistakes, given the labels by number, of objectives that have one.  Empty: 1 each.
  std::function<LabelCost(std::span<const std::string_view> labels)> cost;
  // The labellings that the model is normalised over, given the labels by number.  Empty: that of the
  // model training starts from, if it has one; otherwise all.
  std::function<ChainConstraint(std::span<const std::string> labels)> constraint;
  TransitionGrouping transition_groups;  // transitions that share a weight; empty: none do
  // With l1 > 0 and so many candidate features or more, training goes by an active set.  Below, all
  // features are trained at once, which takes no longer.
  std::size_t active_set_from = 100'000;
  ActiveSetOptions active_set;
  // Of the penalty, relative to 1 / l2: that of an attribute's weights, or of the transitions' by the
  // name of their template.  Empty: 1.
  std::function<double(std::string_view name)> variance;
  bool prior = false;  // the penalty is of the distance from the weights of `init`
  CheckpointFolder* checkpoints = nullptr;
  std::size_t early_stop = 0; // iterations without a better hold-out score before stopping; 0: never
  Method chosen_method(bool from_weights) const {
    return method.value_or(default_method(objective, regulariser, from_weights));
  }
  void validate() const;      // throws UsageError naming the option
};

// The tolerance of the stopping rule where the user gives none.  OWL-QN creeps more at the end: on
// CoNLL-2000 with l1 = 1 it stopped 1.3e-4 to 2.1e-4 above the optimum at 1e-5.
inline double default_tolerance(const Regulariser& regulariser) {
  return regulariser.l1 > 0 ? 5e-6 : 1e-5;
}

// What training by an active set did.
struct ActiveSetReport {
  std::size_t rounds = 0;
  std::size_t trained = 0;  // features of the last set
  // The largest |df/dw| - l1 of any candidate outside of it, or 0; none where training was stopped on
  // request, or went back to an earlier iteration.
  std::optional<double> largest_violation;
};

struct TrainResult {
  OptimizeResult optimization;
  std::size_t dimension = 0, active = 0;  // candidate features, and weights that are not 0
  std::optional<ActiveSetReport> active_set;   // where there was one
  std::optional<HoldoutScore> holdout;         // of the weights that were kept
  std::optional<std::size_t> best_iteration;   // where early stopping went back to an earlier one
  // With groups of transitions: those that share a weight with another, and those without a feature.
  std::size_t shared_transitions = 0, dropped_transitions = 0;
};

// Throws UsageError when a training with these options cannot start from `init`.
void check_init(const ChainModel& init, const TrainOptions& options);

// Feed sequences, then run.  Peak memory is that of the encoded data and the optimiser.
class ChainTraining {
 public:
  // init: a model to start from; its labels and features are kept, with its weights.  May be null.
  ChainTraining(const Extractor& extractor, std::shared_ptr<const ChainModel> init);

  // From here on labels may be sets, or any (features/chain_data.h).  Throws UsageError where a label of
  // `init` would be read as one of these.
  void read_partial_labels(const PartialLabels& how);
  // Labelled, as the encoder wants it; `file` is for messages.
  void add(const TextSequence& sequence, std::string_view file = {});
  void add_holdout(TextSequence sequence);
  std::size_t sequences() const { return encoder_.data.sequences(); }
  std::size_t positions() const { return encoder_.data.positions(); }
  std::size_t partial_positions() const;  // those of which no single label is known
  double total_weight() const;            // of the sequences
  // What the options' method comes to with this data and `init`.
  Method method(const TrainOptions& options) const;
  // What `options` come to with this data: single or twice.
  Precision precision(const TrainOptions& options) const;
  std::size_t holdout_sequences() const { return holdout_text_.size(); }
  // The labels of hold-out sequence n.
  const TextSequence& holdout(std::size_t n) const { return holdout_text_[n]; }

  // Scores predicted labels of all hold-out sequences, one list each.
  using HoldoutScorer =
      std::function<HoldoutScore(const std::vector<std::vector<std::string_view>>& predicted)>;
  using Callback = TrainingCallback;

  // Trains.  Throws UsageError for bad options, Error when there is no sequence, label or feature,
  // InputError (file, line) for labels that break the constraint.
  TrainResult run(const TrainOptions& options, const HoldoutScorer& scorer,
                  const Callback& callback);

  // After run(): the model file's sections.  `training` is the record to keep in it.
  ContainerWriter model(const nlohmann::json& training) const;
  std::size_t labels() const { return encoder_.label_names.size(); }
  std::size_t attributes() const { return encoder_.node_names.size() + encoder_.edge_names.size(); }

 private:
  void set_histories(const TrainOptions& options);
  const std::string& file_of(std::size_t n) const;  // of sequence n
  std::vector<std::string> names_of_labels() const;
  std::shared_ptr<const ChainConstraint> make_constraint(const TrainOptions& options) const;
  void lay_out(const TrainOptions& options, TrainResult& result);
  void set_cost(const TrainOptions& options);
  MethodChoice choice(const TrainOptions& options) const;
  void check_holdout(const TrainOptions& options) const;
  ChainProblem problem(const TrainOptions& options, ThreadPool& pool) const;
  void set_prior(const TrainOptions& options, std::span<const FeatureWeight> start);
  std::uint64_t fingerprint(const ChainProblem& problem) const;
  void keep_features_of(const ChainModel& init);
  void widen_kept_pairs(std::size_t from);  // from pairs of the initial labels to pairs of all
  std::vector<FeatureWeight> initial_weights(const ChainModel& init) const;
  void encode_holdout();
  HoldoutScore score_holdout(const ChainLayout& layout, const ChainData& holdout,
                             std::span<const double> w, const HoldoutScorer& scorer,
                             ThreadPool& pool) const;
  OptimizeResult train_all(const ChainProblem& problem, std::span<const FeatureWeight> start,
                           const HoldoutScorer& scorer, TrainingWatch& watch,
                           Checkpointer* checkpoints);
  ActiveSetResult train_some(const TrainOptions& options, const ChainProblem& problem,
                             std::span<const FeatureWeight> start, const HoldoutScorer& scorer,
                             TrainingWatch& watch, Checkpointer* checkpoints);
  bool uses_active_set(const TrainOptions& options) const;
  void narrow_to(FeatureSelection selection);

  const Extractor& extractor_;
  std::shared_ptr<const ChainModel> init_;
  KeptFeatures kept_;
  ChainEncoder encoder_;
  std::vector<std::pair<std::size_t, std::string>> files_;  // each with its first sequence
  Renumbering renumbering_;
  ChainLayout layout_;
  std::vector<double> weights_;
  LabelCost cost_;
  WeightPrior prior_;
  ChainFindings findings_;
  std::vector<TextSequence> holdout_text_;
  ChainData holdout_;
};

}  // namespace croft

// The training of a chain: data, layout, objective, optimiser, hold-out, in this order.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/chain_data.h"
#include "features/extraction.h"
#include "model/kinds/chain_model.h"
#include "train/chain_holdout.h"
#include "train/encoded_training.h"
#include "train/kinds/feature_expectations.h"
#include "train/kinds/self_training.h"
#include "train/methods/limits.h"
#include "train/train_options.h"
#include "train/training_fingerprint.h"
#include "train/training_watch.h"

namespace croft {

// What training by an active set did.
struct ActiveSetReport {
  std::size_t rounds = 0;
  std::size_t trained = 0;  // features of the last set
  // The largest |df/dw| - l1 of any candidate outside of it, or 0; none where training was stopped
  // on request, or went back to an earlier iteration.
  std::optional<double> largest_violation;
};

struct TrainResult : WatchedResult {
  std::optional<ActiveSetReport> active_set;        // where there was one
  std::optional<FeatureRoundsReport> rounds;        // where features changed
  std::optional<SelfTrainingReport> self_training;  // where there was some
  // With groups of transitions: those that share a weight with another, and those without a
  // feature.
  std::size_t shared_transitions = 0, dropped_transitions = 0;
};

// Throws UsageError when a training with these options cannot start from `init`.
void check_init(const ChainModel& init, const TrainOptions& options);

// The initial weights as the mean, if they are that, and variances by name.
//   names : of the layout's rows
WeightPrior make_prior(const TrainOptions& options, const ChainLayout& layout,
                       std::span<const FeatureWeight> start,
                       const std::function<ChainNames()>& names);
// Why dual ascent is not for a training: something is asked for that it does not have, or its steps
// would be short.  Empty where nothing speaks against it.
//   nodes : attributes of the positions and whatever else is scored
std::string against_dual(const TrainOptions& options, const AttributeLists& nodes,
                         std::size_t positions);
// Returns "its dual variables take 1.2 GB of 2.9 GB", say.
std::string dual_variables_reason(double bytes, double limit);
// Says why a method is the default that nothing else decided: by the penalty, the objective or the
// size.  The text may be empty.
std::string common_reason(const TrainOptions& options, Method chosen, std::size_t positions);

// Feed sequences, then run.  Peak memory is that of the encoded data and the optimiser.
class ChainTraining : public EncodedTraining {
 public:
  // init: a model to start from; its labels and features are kept, with its weights.  May be null.
  // Throws UsageError for templates that a kind has no use for.
  explicit ChainTraining(const Extractor& extractor,
                         std::shared_ptr<const ChainModel> init = nullptr,
                         ChainKind kind = ChainKind::chain);

  // From here on labels may be sets, or any (features/chain_data.h).  Throws UsageError where a
  // label of `init` would be read as one of these.
  void read_partial_labels(const PartialLabels& how) override;
  // Labelled, as the encoder wants it; `file` is for messages.  Each position of a maxent model is
  // a sequence of its own.
  void add(const TextSequence& sequence, std::string_view file = {}) override;
  void add_unlabelled(TextSequence sequence, std::string_view file = {}) override;
  void add_holdout(TextSequence sequence, std::string_view file = {}) override;
  void share_out(Ranks& ranks) override { agree(ranks); }
  std::size_t sequences() const override {
    return labelled_.value_or(EncodedTraining::sequences());
  }
  std::size_t unlabelled_sequences() const;
  // In the place of add(): data that is numbers already, with the names that they stand for.
  //   labelled : sequences, where those behind them are without labels
  void set_data(ChainEncoder encoded, std::optional<std::size_t> labelled = {});
  // What the options' method and precision come to with this data and `init`.
  ChosenMethod choose(const TrainOptions& options) const;
  Method method(const TrainOptions& options) const;
  Precision precision(const TrainOptions& options) const;  // single or twice
  // Attributes with the largest and the smallest values (root mean squares), where one is kUneven
  // times the other.
  static constexpr double kUneven = 100;
  struct UnevenValues {
    std::string large, small;
    double most = 0, least = 0;
  };
  std::optional<UnevenValues> uneven_values() const;
  std::size_t holdout_sequences() const override { return holdout_.sequences(); }
  const TextSequence& holdout(std::size_t n) const override { return holdout_[n]; }

  // Scores predicted labels of all hold-out sequences, one list each.
  using HoldoutScorer =
      std::function<HoldoutScore(const std::vector<std::vector<std::string_view>>& predicted)>;
  using Callback = TrainingCallback;

  // Trains.  Throws UsageError for bad options, Error when there is no sequence, label or feature,
  // InputError (file, line) for labels that break the constraint.
  TrainResult run(const TrainOptions& options, const HoldoutScorer& scorer,
                  const Callback& callback);

  // In the place of run(): what data and model, that training would start from, expect of every
  // feature.  Valid until anything else is asked.  Throws as run(), and Error where the data has
  // runs of labels that a model of order 2 or more has no history for.
  FeatureExpectations expectations(const TrainOptions& options);

  // After run(): the model file's sections.  `training` is the record to keep in it.
  ContainerWriter model(const Json& training) const;
  // After run(): visit(label, weight) for the features of a node attribute, by its number in the
  // data.
  template <class Visit>
  void for_each_weight(std::uint32_t attribute, const Visit& visit) const {
    const std::uint32_t row = renumbering_.node[attribute];
    if (row == kUnknown) return;
    for (std::size_t k = 0; k < layout_.node.length(row); ++k) {
      visit(layout_.node.cell_of(row, k), weights_[layout_.node.begin[row] + k]);
    }
  }
  // After run(): what the weights belong to, and where the attributes of the data went.
  const ChainLayout& layout() const { return layout_; }
  const Renumbering& renumbering() const { return renumbering_; }
  std::span<const double> weights() const { return weights_; }

 private:
  friend class FeatureRoundsTraining;  // changes the features (src/train/)
  struct DualCheck {
    bool pays;
    std::string why;
  };
  DualCheck dual_check(const TrainOptions& options) const;
  bool newton_pays(const TrainOptions& options) const;
  bool span_pays(const TrainOptions& options) const;
  bool scaling_pays(const TrainOptions& options, Method chosen) const;
  ChainNames names() const;
  void check(const TrainOptions& options) const;
  void check_holdout(const TrainOptions& options) const;
  std::shared_ptr<const ChainConstraint> make_constraint(const TrainOptions& options) const;
  void set_unlabelled(const TrainOptions& options);
  void set_terms(const TrainOptions& options);
  void lay_out(const TrainOptions& options, TrainResult& result);
  std::shared_ptr<const LabelHistories> histories_of(const TrainOptions& options) const;
  void set_histories(const TrainOptions& options);
  void set_cost(const TrainOptions& options);
  Run intercept_weights() const;
  void keep_features_of(const ChainModel& init);
  void widen_kept_pairs(std::size_t from);  // from pairs of the initial labels to pairs of all
  std::vector<FeatureWeight> initial_weights(const ChainModel& init) const;
  ChainProblem problem(const TrainOptions& options, ThreadPool& pool) const;
  std::uint64_t fingerprint(const TrainOptions& options, const ChainProblem& problem,
                            std::span<const FeatureWeight> start) const;
  OptimizeResult train_all(const ChainProblem& problem, std::span<const FeatureWeight> start,
                           const HoldoutScorer& scorer, TrainingWatch& watch,
                           Checkpointer* checkpoints);
  OptimizeResult train_in_rounds(const UnlabelledOptions& options, const ChainProblem& problem,
                                 std::span<const FeatureWeight> start, const HoldoutScorer& scorer,
                                 TrainingWatch& watch, std::size_t& before,
                                 SelfTrainingReport& report);
  IterationCallback seen_by(TrainingWatch& watch, const HoldoutScorer& scorer,
                            const ChainProblem& problem);
  ActiveSetResult train_some(const TrainOptions& options, const ChainProblem& problem,
                             std::span<const FeatureWeight> start, const HoldoutScorer& scorer,
                             TrainingWatch& watch, Checkpointer* checkpoints);
  bool uses_active_set(const TrainOptions& options) const;
  void narrow_to(FeatureSelection selection);

  const Extractor& extractor_;
  const ChainKind kind_;
  std::vector<std::string> tied_names_;  // of the layout's tied rows
  std::shared_ptr<const ChainModel> init_;
  KeptFeatures kept_;
  Renumbering renumbering_;
  ChainLayout layout_;
  std::vector<double> weights_;
  LabelCost cost_;
  WeightPrior prior_;
  ChainFindings findings_;
  ChainHoldout holdout_;
  std::optional<std::size_t> labelled_;  // sequences, where others have no labels
  ChainData unlabelled_;                 // those, once training begins
  std::vector<AttributeExpectation> expectations_;
  UnlabelledTerms terms_;
  std::vector<Conjunction> conjunctions_;  // attributes that were found
};

}  // namespace croft

// The training of a chain: data, layout, objective, optimiser, hold-out, in this order.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "croft/features/chain_data.h"
#include "croft/features/extraction.h"
#include "croft/model/chain_model.h"
#include "croft/optimize/lbfgs.h"

namespace croft {

enum class Precision { single, twice };  // of scores and recursions; sums and weights are double

struct TrainOptions {
  FeatureSet features = FeatureSet::observed;
  std::size_t min_count = 1;  // >= 1
  Regulariser regulariser{.l1 = 0, .l2 = 1};
  LbfgsOptions optimizer;     // OWL-QN where l1 > 0, otherwise L-BFGS
  Precision precision = Precision::single;
  std::size_t threads = 1;    // 0: one per processor
  std::size_t early_stop = 0; // iterations without a better hold-out score before stopping; 0: never
  void validate() const;      // throws UsageError naming the option
};

// The tolerance of the stopping rule where the user gives none.  OWL-QN creeps more at the end: on
// CoNLL-2000 with l1 = 1 it stopped 1.3e-4 to 2.1e-4 above the optimum at 1e-5.
inline double default_tolerance(const Regulariser& regulariser) {
  return regulariser.l1 > 0 ? 5e-6 : 1e-5;
}

// How the model of an iteration does on the hold-out.
struct HoldoutScore {
  double token_accuracy = 0;
  std::optional<double> chunk_f1;  // where labels are chunk labels
  double score() const { return chunk_f1.value_or(token_accuracy); }  // what early stopping looks at
};

struct TrainProgress {
  const Iteration& iteration;
  std::size_t max_iterations;
  std::optional<HoldoutScore> holdout;
};

struct TrainResult {
  OptimizeResult optimization;
  std::size_t dimension = 0, active = 0;
  std::optional<HoldoutScore> holdout;         // of the weights that were kept
  std::optional<std::size_t> best_iteration;   // where early stopping went back to an earlier one
};

// Feed sequences, then run.  Peak memory is that of the encoded data and the optimiser.
class ChainTraining {
 public:
  // init: a model to start from; its labels and features are kept, with its weights.  May be null.
  ChainTraining(const Extractor& extractor, std::shared_ptr<const ChainModel> init);

  void add(const TextSequence& sequence);            // labelled
  void add_holdout(TextSequence sequence);
  std::size_t sequences() const { return encoder_.data.sequences(); }
  std::size_t positions() const { return encoder_.data.positions(); }
  std::size_t holdout_sequences() const { return holdout_text_.size(); }
  // The labels of hold-out sequence n.
  const TextSequence& holdout(std::size_t n) const { return holdout_text_[n]; }

  // Scores predicted labels of all hold-out sequences, one list each.
  using HoldoutScorer =
      std::function<HoldoutScore(const std::vector<std::vector<std::string_view>>& predicted)>;
  // False stops the training cleanly after this iteration.
  using Callback = std::function<bool(const TrainProgress&)>;

  // Trains.  Throws UsageError for bad options, Error when there is no sequence or no feature.
  TrainResult run(const TrainOptions& options, const HoldoutScorer& scorer,
                  const Callback& callback);

  // After run(): the model file's sections.  `training` is the record to keep in it.
  ContainerWriter model(const nlohmann::json& training) const;
  std::size_t labels() const { return encoder_.label_names.size(); }
  std::size_t attributes() const { return encoder_.node_names.size() + encoder_.edge_names.size(); }

 private:
  void keep_features_of(const ChainModel& init);
  void set_initial_weights(const ChainModel& init);
  void encode_holdout();
  HoldoutScore score_holdout(std::span<const double> w, const HoldoutScorer& scorer,
                             class ThreadPool& pool);

  const Extractor& extractor_;
  std::shared_ptr<const ChainModel> init_;
  KeptFeatures kept_;
  ChainEncoder encoder_;
  Renumbering renumbering_;
  ChainLayout layout_;
  std::vector<double> weights_;
  std::vector<TextSequence> holdout_text_;
  ChainData holdout_;
};

}  // namespace croft

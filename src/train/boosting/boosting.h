// Gradient tree boosting of the potentials of a chain, of single labels, or of segments: a
// stagewise trainer over the objectives of every other training.  docs/math/boosting.md.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/parallel.h"
#include "features/chain_data.h"
#include "features/extraction.h"
#include "features/kit/binned_features.h"
#include "model/kinds/boosted_model.h"
#include "train/boosting/boosted_potentials.h"
#include "train/boosting/boosted_rounds.h"
#include "train/boosting/regression_tree_fit.h"
#include "train/checkpoint.h"
#include "train/encoded_training.h"
#include "train/train_options.h"
#include "train/training_watch.h"

namespace croft {

enum class TreeSharing { label, shared };  // a tree for each label a round; one, of vectors

struct BoostingOptions {
  std::size_t rounds = 100;
  double shrinkage = 0.3;  // nu, in (0, 1]
  TreeFitOptions tree;
  TreeSharing trees = TreeSharing::label;  // of two labels the same: a tree and its mirror image
  bool pair_trees = false;                 // also trees P_ij, of boosted-chain
  double row_share = 1;                    // of the sequences that a round is fitted to, in (0, 1]
  double trim = 0.1;                       // alpha, in [0, 1)
  std::size_t bins = 255;                  // 2 to 256
  double tolerance = 0;        // stop where a round gains less than this share; 0: never
  std::size_t early_stop = 0;  // rounds without a better hold-out score; 0: never
  std::uint64_t seed = 1;
  std::size_t threads = 1;
  std::optional<LabelWeights> label_weights;  // of boosted-maxent, without partial labels
  CheckpointFolder* checkpoints = nullptr;
  void validate() const;                    // throws UsageError naming the option
  void archive(StateArchive& state) const;  // what decides how a training goes on
};

// The model after some rounds.
struct BoostingProgress {
  std::size_t round = 0;  // 0: the start
  std::size_t max_rounds = 0;
  double objective = 0;      // of the training data
  double gradient_norm = 0;  // sqrt(sum of g^2), over all positions and labels
  std::size_t trees = 0, leaves = 0;
  std::optional<HoldoutScore> holdout;
};

struct BoostingResult {
  std::size_t rounds = 0;                             // that the model has
  std::size_t trees = 0, leaves = 0, attributes = 0;  // attributes: those that are tested
  double objective = 0;
  std::string stop;  // max_rounds, converged, early_stop, stopped
  std::optional<HoldoutScore> holdout;
  TreeSharing sharing = TreeSharing::label;
  std::size_t features = 0;  // attributes that trees could test
};

class TreeGrowth;

// The family of trees that a round fits after those of labels.
struct SecondTrees {
  const BinnedFeatures* features = nullptr;
  std::vector<std::uint32_t> outputs;            // as the model file numbers them; empty: none
  std::span<const std::uint32_t> rows;           // that trees are fitted to; none: no trees
  const std::vector<float>* gradient = nullptr;  // [outputs][gradient_rows][2]
  std::size_t gradient_rows = 0;
  std::vector<std::vector<float>>* sums = nullptr;  // [outputs][rows of the features]
};

// Feed sequences, then run.  Of positions by themselves and of chains: BoostedChain; of segments:
// BoostedSegments.
class Boosting : public SequenceTraining {
 public:
  ~Boosting() override;

  void add_holdout(TextSequence sequence, std::string_view file = {}) override;
  std::size_t holdout_sequences() const override { return holdout_.size(); }
  const TextSequence& holdout(std::size_t n) const override { return holdout_[n]; }

  // Of the labels of all hold-out sequences, one list each.
  using HoldoutScorer =
      std::function<HoldoutScore(const std::vector<std::vector<std::string_view>>& predicted)>;
  using Callback = std::function<bool(const BoostingProgress&)>;  // false: stop, keep the rounds

  // Trains.  Throws UsageError for bad options, Error when there is no sequence or label, and of
  // segments InputError (file, line) for data that no segmentation fits.
  BoostingResult run(const BoostingOptions& options, const HoldoutScorer& scorer,
                     const Callback& callback);

  // After run().  `training` is the record to keep in the file.
  virtual ContainerWriter model(const Json& training) const = 0;
  // Of labels first; attributes are numbered as in the data.
  virtual TreeArrays trees() const { return rounds_.all(); }
  const Potentials& potentials() const { return potentials_; }

 protected:
  explicit Boosting(const Extractor& extractor);  // kept by reference

  // After all have been added, once a run.
  virtual void lay_out(const BoostingOptions& options) = 0;
  // After it, when held_ is filled, too: positions with their attributes and what is known of their
  // labels.
  virtual const ChainData& data() const = 0;

  // Potentials of nothing yet, beside those of positions, whose features are there.
  virtual void start_others(const BoostingOptions& options) = 0;
  virtual std::unique_ptr<PotentialObjective> objective(std::size_t width, ThreadPool& pool) = 0;
  // Sequences that the round is fitted to: before the objective is asked for the second family.
  virtual void draw(const std::vector<bool>& sequences) = 0;
  virtual SecondTrees second(const PotentialGradient& gradient) = 0;

  virtual std::vector<std::vector<std::string_view>> label_holdout(ThreadPool& pool) const = 0;
  // Of all that the data is, hold-out and names.
  virtual void add_to(Fingerprint& fingerprint) const = 0;
  // Attributes that trees of either family could test.
  virtual std::size_t features() const { return features_->features(); }

  void add_holdout_to(Fingerprint& fingerprint) const;
  // What a model file has of all kinds, refers to the arguments.
  BoostedParts parts(const TreeArrays& trees, const Json& training) const;

  const Extractor& extractor_;
  std::vector<TextSequence> holdout_;
  AttributeLists held_;                       // of positions
  std::unique_ptr<BinnedFeatures> features_;  // of positions, and after them of those held out
  Potentials potentials_;
  BoostedRounds rounds_;

 private:
  struct Growth;  // what a run needs beside the model
  struct Best;    // the best round by the hold-out

  void start(const BoostingOptions& options);
  void draw_rows(const BoostingOptions& options, std::size_t round, Growth& growth);
  void fit_states(const BoostingOptions& options, std::size_t round, Growth& growth);
  void fit_second(const BoostingOptions& options, std::size_t round, Growth& growth);
  void step_transitions(const BoostingOptions& options, const PotentialGradient& gradient);
  void add_to_states(Growth& growth, std::size_t width, std::span<const std::size_t> first_value);
  BoostingProgress look(const BoostingOptions& options, const HoldoutScorer& scorer,
                        Growth& growth);
  void grow_round(const BoostingOptions& options, Growth& growth);
  void archive(StateArchive& state);
  std::size_t leaf_values(const BoostingOptions& options) const;
  std::size_t tree_width(const BoostingOptions& options) const;
  std::uint64_t fingerprint(const BoostingOptions& options) const;

  std::vector<double> base_;
};

}  // namespace croft

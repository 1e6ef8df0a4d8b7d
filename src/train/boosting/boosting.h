// Gradient tree boosting of the potentials of a chain, of single labels, or of segments: a
// stagewise trainer over the objectives of every other training.  docs/math/boosting.md.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/chain_data.h"
#include "features/extraction.h"
#include "model/kinds/boosted_model.h"
#include "train/boosting/boosted_potentials.h"
#include "train/boosting/boosted_rounds.h"
#include "train/boosting/regression_tree_fit.h"
#include "train/checkpoint.h"
#include "train/encoded_training.h"
#include "train/segments/segment_data.h"
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

class BoostedStructure;
class TreeGrowth;

// Feed sequences, then run.
class Boosting : public SequenceTraining {
 public:
  // kind : kBoostedChain or kBoostedMaxent.  Throws UsageError for templates of edge attributes.
  Boosting(const Extractor& extractor, std::string_view kind);
  // Of segments: kBoostedSegment.  Both are kept by reference; the extractor's cells are the
  // templates' columns.  Throws UsageError for templates of pairs of labels.
  Boosting(const Extractor& extractor, const SegmentOptions& segments);
  ~Boosting() override;

  void read_partial_labels(const PartialLabels& how) override;
  // Each position of a boosted-maxent model is a sequence of its own.
  void add(const TextSequence& sequence, std::string_view file = {}) override;
  void add_holdout(TextSequence sequence, std::string_view file = {}) override;
  std::size_t sequences() const override;
  std::size_t positions() const override;
  std::size_t labels() const override;
  std::size_t attributes() const override;
  std::size_t partial_positions() const override;
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
  ContainerWriter model(const Json& training) const;
  TreeArrays trees() const;  // of labels first; attributes are numbered as in the data
  const Potentials& potentials() const { return potentials_; }

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

  std::unique_ptr<BoostedStructure> structure_;
  std::vector<TextSequence> holdout_;
  std::vector<double> base_;
  std::unique_ptr<BinnedFeatures> features_;
  Potentials potentials_;
  BoostedRounds rounds_;
};

}  // namespace croft

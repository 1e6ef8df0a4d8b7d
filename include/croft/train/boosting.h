// Gradient tree boosting of the potentials of a chain, or of single labels: a stagewise trainer
// over the objectives of every other training.  docs/math/boosting.md.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "croft/features/chain_data.h"
#include "croft/features/extraction.h"
#include "croft/model/boosted_model.h"
#include "croft/train/boosted_potentials.h"
#include "croft/train/checkpoint.h"
#include "croft/train/label_weights.h"
#include "croft/train/regression_tree_fit.h"
#include "croft/train/training_watch.h"

namespace croft {

enum class TreeSharing { label, shared };  // a tree for each label a round; one, of vectors

struct BoostingOptions {
  std::size_t rounds = 100;
  double shrinkage = 0.3;  // nu, in (0, 1]
  TreeFitOptions tree;
  TreeSharing trees = TreeSharing::label;  // of two labels the same: a tree and its mirror image
  bool pair_trees = false;                 // also trees P_ij
  double row_share = 1;                    // of the sequences that a round is fitted to, in (0, 1]
  double trim = 0.1;                       // alpha, in [0, 1)
  std::size_t bins = 255;                  // 2 to 256
  double tolerance = 0;        // stop where a round gains less than this share; 0: never
  std::size_t early_stop = 0;  // rounds without a better hold-out score; 0: never
  std::uint64_t seed = 1;
  std::size_t threads = 1;
  std::optional<LabelWeights> label_weights;  // of boosted-maxent, without partial labels
  CheckpointFolder* checkpoints = nullptr;
  void validate() const;  // throws UsageError naming the option
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

// Feed sequences, then run.
class Boosting {
 public:
  // kind : kBoostedChain or kBoostedMaxent.  Throws UsageError for templates of edge attributes.
  Boosting(const Extractor& extractor, std::string_view kind);

  void read_partial_labels(const PartialLabels& how) { encoder_.partial = how; }
  // Each position of a boosted-maxent model is a sequence of its own.
  void add(const TextSequence& sequence, std::string_view file = {});
  void add_holdout(TextSequence sequence);
  std::size_t sequences() const { return encoder_.data.sequences(); }
  std::size_t positions() const { return encoder_.data.positions(); }
  std::size_t labels() const { return encoder_.label_names.size(); }
  std::size_t attributes() const { return encoder_.node_names.size(); }
  std::size_t partial_positions() const;
  std::size_t holdout_sequences() const { return holdout_.size(); }
  const TextSequence& holdout(std::size_t n) const { return holdout_[n]; }

  // Of the labels of all hold-out sequences, one list each.
  using HoldoutScorer =
      std::function<HoldoutScore(const std::vector<std::vector<std::string_view>>& predicted)>;
  using Callback = std::function<bool(const BoostingProgress&)>;  // false: stop, keep the rounds

  // Trains.  Throws UsageError for bad options, Error when there is no sequence or label.
  BoostingResult run(const BoostingOptions& options, const HoldoutScorer& scorer,
                     const Callback& callback);

  // After run().  `training` is the record to keep in the file.
  ContainerWriter model(const nlohmann::json& training) const;
  TreeArrays trees() const;  // of labels first; attributes are numbered as in the data
  const Potentials& potentials() const { return potentials_; }

 private:
  struct Round {  // where it ends in the arrays, and the transitions after it
    std::size_t roots = 0, nodes = 0, values = 0;
    std::size_t pair_roots = 0, pair_nodes = 0, pair_values = 0;
    std::vector<double> transition;
    void archive(StateArchive& state);
  };
  struct Growth;  // what a run needs beside the model

  void start(const BoostingOptions& options);
  void encode_holdout(AttributeLists& rows);
  template <class Real>
  BoostingResult run_in(const BoostingOptions& options, const HoldoutScorer& scorer,
                        const Callback& callback);
  void draw_rows(const BoostingOptions& options, std::size_t round, Growth& growth) const;
  void fit_states(const BoostingOptions& options, std::size_t round, Growth& growth);
  void fit_pairs(const BoostingOptions& options, std::size_t round, Growth& growth);
  void step_transitions(const BoostingOptions& options, const PotentialGradient& gradient);
  void append(const FittedTree& tree, std::uint32_t output, double shrinkage, TreeArrays& to) const;
  void add_to_states(Growth& growth, std::span<const std::size_t> first_value);
  void archive_model(StateArchive& state);
  std::size_t leaves(bool shared) const;
  std::size_t tree_width(const BoostingOptions& options) const;
  void close_round();
  void cut_back(std::size_t rounds);
  std::uint64_t fingerprint(const BoostingOptions& options) const;
  std::vector<std::vector<std::string_view>> label_holdout(ThreadPool& pool) const;

  const Extractor& extractor_;
  std::string kind_;
  ChainEncoder encoder_;
  std::vector<TextSequence> holdout_;
  std::vector<double> base_;
  std::unique_ptr<BinnedFeatures> features_;
  Potentials potentials_;
  TreeArrays trees_, pair_trees_;
  std::vector<Round> rounds_;
};

}  // namespace croft

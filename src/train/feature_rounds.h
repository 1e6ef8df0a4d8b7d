// The training that include/croft/train/feature_rounds.h describes.
#pragma once
#include <set>
#include <utility>
#include <vector>

#include "croft/train/chain_training.h"

namespace croft {

class FeatureRoundsTraining {
 public:
  // whole : the data in the encoder's ids, from before it was laid out
  FeatureRoundsTraining(ChainTraining& training, ChainData whole, const TrainOptions& options,
                        ThreadPool& pool, const ChainTraining::HoldoutScorer& scorer,
                        const TrainingCallback& callback);

  // Leaves the training with its last features and their weights.  `last` follows the iterations
  // after which no feature changes.
  //   before : iterations of the rounds before these, as they go on
  OptimizeResult run(std::span<const FeatureWeight> start, TrainingWatch& last, std::size_t& before,
                     FeatureRoundsReport& report);

  // Those that were found, and have a feature.
  std::vector<Conjunction> conjunctions() const;

 private:
  using Feature = KeptFeatures::Feature;
  // The features, by the encoder's numbers, with their weights.
  struct Features {
    std::vector<std::pair<Feature, double>> node, edge;                          // sorted
    std::vector<std::pair<std::pair<std::size_t, std::uint32_t>, double>> tied;  // row, cell
    std::size_t size() const { return node.size() + edge.size() + tied.size(); }
  };
  struct Round {
    OptimizeResult result;
    std::optional<HoldoutScore> holdout;
  };

  Round train_round(std::span<const FeatureWeight> start, const TrainOptions& options);
  OptimizeResult train_last(TrainingWatch& last);
  void select(std::span<const FeatureWeight> start);
  void add_unsupported(std::span<const FeatureWeight> start);
  void induce(std::span<const FeatureWeight> start);
  void report(FeatureRound round, const Round& trained);

  Features features() const;
  void set_features(Features features);
  std::vector<FeatureWeight> weights() const;
  Matrix<float> probabilities();
  std::vector<std::uint32_t> errors(const Matrix<float>& probability) const;

  void choose_tests();
  void start_from_nothing();
  bool has(std::span<const std::uint32_t> parts, Label label) const;
  Conjunction conjunction_of(std::span<const std::uint32_t> parts) const;
  std::vector<FeatureCandidate> candidates(const Matrix<float>& probability,
                                           const std::vector<std::uint32_t>& errors);
  void measure(const Matrix<float>& probability, std::vector<FeatureCandidate>& found) const;
  void add(const std::vector<FeatureCandidate>& found);
  void add_attributes(const ConjunctionIndex& index, const std::vector<std::uint32_t>& attribute);

  ChainTraining& t_;
  ChainData whole_;
  const TrainOptions& o_;
  ThreadPool& pool_;
  const ChainTraining::HoldoutScorer& scorer_;
  const TrainingCallback& callback_;
  std::size_t* before_ = nullptr;
  FeatureRoundsReport* report_ = nullptr;
  bool stopped_ = false;
  std::vector<bool> is_test_;          // by the encoder's number
  std::vector<std::uint32_t> count_;   // positions of each attribute
  std::vector<Feature> present_;       // node features, sorted
  std::set<std::uint32_t> found_ids_;  // attributes that are conjunctions
  std::vector<Conjunction> conjunctions_;
};

}  // namespace croft

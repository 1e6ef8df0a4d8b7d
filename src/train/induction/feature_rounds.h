// The training that feature_round_options.h describes.
#pragma once
#include <set>
#include <utility>
#include <vector>

#include "train/kinds/chain_training.h"

namespace croft {

class EdgeProbabilities;
struct EdgePlaces;

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

  // Positions to look for candidates at, increasing.
  struct Places {
    std::vector<std::uint32_t> position;
    std::vector<double> weight;  // of each
  };
  // Conjunctions that are new, and the attributes that they become.
  struct Added {
    ConjunctionIndex index;
    std::vector<std::uint32_t> attribute;
  };

  // The course of a training (feature_rounds.cc).
  Round train_round(std::span<const FeatureWeight> start, const TrainOptions& options);
  OptimizeResult train_last(TrainingWatch& last);
  OptimizeResult as_it_is();
  void select(std::span<const FeatureWeight> start);
  void add_unsupported(std::span<const FeatureWeight> start);
  std::vector<bool> mistaken(const Matrix<float>& probability) const;
  void report(FeatureRound round, const Round& trained);
  Matrix<float> probabilities();
  std::vector<std::uint32_t> errors(const Matrix<float>& probability) const;

  // Features as a list (round_features.cc).
  Features features() const;
  void set_features(Features features);
  void lay_out(const Features& features);
  std::vector<FeatureWeight> weights() const;

  // Rounds of induction (induction_rounds.cc).
  void induce(std::span<const FeatureWeight> start);
  void choose_tests();
  void start_from_nothing();
  void count_places();
  Places draw(const std::vector<std::uint32_t>& positions) const;
  std::vector<FeatureCandidate> candidates(const Matrix<float>& probability,
                                           const std::vector<std::uint32_t>& errors);
  // At all positions (candidate_walk.cc).
  void find_hits(const ConjunctionIndex& index, std::uint64_t position,
                 ConjunctionIndex::Scratch& scratch,
                 std::vector<ConjunctionIndex::Hit>& hits) const;
  void measure(const Matrix<float>& probability, std::vector<FeatureCandidate>& found) const;
  // Of two labels (pair_rounds.cc).
  std::vector<std::uint32_t> edges_of(const std::vector<std::uint32_t>& errors) const;
  EdgePlaces edge_places(const EdgeProbabilities& model, Places drawn) const;
  std::uint32_t gold_pair(std::uint64_t position) const;
  std::vector<FeatureCandidate> pair_candidates(const std::vector<std::uint32_t>& errors,
                                                std::size_t most);
  struct PairMeasure;
  void measure_edges(std::size_t n, PairMeasure& own) const;
  void measure_pairs(const EdgeProbabilities& model, std::vector<FeatureCandidate>& found) const;

  // What is found becomes features (induced_attributes.cc).
  Conjunction conjunction_of(std::span<const std::uint32_t> parts) const;
  void set_present();
  bool has(std::span<const std::uint32_t> parts, Label label) const;
  bool has(const FeatureCandidate& candidate) const;
  std::uint32_t pair_of(const FeatureCandidate& candidate) const;
  std::uint32_t attribute_of(const FeatureCandidate& candidate, Added& added);
  void add(const std::vector<FeatureCandidate>& found);
  void add_attributes(const Added& added);
  void add_edge_attributes(const Added& added);

  ChainTraining& t_;
  ChainData whole_;
  const TrainOptions& o_;
  ThreadPool& pool_;
  const ChainTraining::HoldoutScorer& scorer_;
  const TrainingCallback& callback_;
  std::size_t* before_ = nullptr;
  FeatureRoundsReport* report_ = nullptr;
  bool stopped_ = false;
  std::vector<bool> is_test_;                           // by the encoder's number
  std::vector<std::uint32_t> count_;                    // positions of each attribute
  std::vector<std::uint32_t> edge_count_;               // of them, not the first of a sequence
  std::vector<Feature> present_, present_edges_;        // node and edge features, sorted
  std::set<std::uint32_t> found_ids_, found_edge_ids_;  // attributes that are conjunctions
  std::vector<Conjunction> conjunctions_;
};

}  // namespace croft

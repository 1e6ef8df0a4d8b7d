// The training of a segment model: a semi-Markov CRF.
//
//   f(w) = sum_n q_n L(theta_n(w), segmentation n),     theta_n = M_n A_n w               (SM.30)
//
// A_n is a chain's scorer of positions and rows (segment_data.h), and M_n, part of the objective,
// makes scores of segments of these: layout, functions, optimisers and checkpoints are a chain's.
// docs/math/segments.md.
#pragma once
#include <string_view>
#include <vector>

#include "model/kinds/segment_model.h"
#include "train/kinds/chain_training.h"
#include "train/segments/segment_data.h"
#include "train/weight_prior.h"

namespace croft {

// The optimiser of these options with so many positions: a chain's, but for the dual ones, which
// segments have not, where nobody named one.
//   from_weights : there is a model to start from
Method segment_method(const TrainOptions& options, std::size_t positions,
                      bool from_weights = false);
// Throws UsageError for an objective, an optimiser, or a setting of one, that segments have not, or
// that do not go together; names those of segments that do.
//   by_default : nobody named options.method, which is what segment_method() came to
void check_segment_choice(const TrainOptions& options, bool from_weights = false,
                          bool by_default = false);

// Feed sequences, then run.
class SegmentTraining : public SequenceTraining {
 public:
  // Both are kept by reference; the extractor's cells are the templates' columns.
  //   init : the model to start from, or whose weights are the prior's mean; may be null
  SegmentTraining(const Extractor& extractor, const SegmentOptions& segments,
                  std::shared_ptr<const SegmentModel> init = nullptr);

  // Throws UsageError where a label of `init` would be read as a set.
  void read_partial_labels(const PartialLabels& how) override;
  void add(const TextSequence& sequence, std::string_view file = {}) override {
    encoder_.add(sequence, file);
  }
  void add_holdout(TextSequence sequence, std::string_view file = {}) override;
  // What labels it has does not matter.  Features are those of the labelled data.
  void add_unlabelled(TextSequence sequence, std::string_view file = {}) override;
  std::size_t unlabelled_sequences() const { return unlabelled_.size(); }
  std::size_t sequences() const override { return encoder_.sequences(); }
  std::size_t positions() const override { return encoder_.positions(); }
  std::size_t partial_positions() const override { return encoder_.partial_positions(); }
  std::size_t labels() const override { return encoder_.label_names().size(); }
  std::size_t attributes() const override { return encoder_.attributes(); }
  std::size_t holdout_sequences() const override { return holdout_.size(); }
  const TextSequence& holdout(std::size_t n) const override { return holdout_[n]; }

  // What the options come to; throws UsageError for an objective or an optimiser that segments have
  // not.
  Method method(const TrainOptions& options) const;
  // Says also why, if nobody named the method.
  ChosenMethod choose(const TrainOptions& options) const;
  Precision precision(const TrainOptions& options) const;  // single or twice

  // Trains; of the options, those of other kinds must be left at their defaults.  Throws UsageError
  // for bad options, Error when there is no sequence or feature, InputError (file, line) for data
  // that no segmentation fits.
  TrainResult run(const TrainOptions& options, const ChainTraining::HoldoutScorer& scorer,
                  const TrainingCallback& callback);

  // After run(): the model file's sections.
  ContainerWriter model(const Json& training) const;
  // After run(), or lay_out().
  const SegmentEncoder& encoder() const { return encoder_; }
  std::span<const double> weights() const { return weights_; }

  // What run() does first: numbers labels, rows and features.
  void lay_out(const TrainOptions& options);
  // The data term at these weights, in double: for tests.  After lay_out().
  std::unique_ptr<ChainFunction> function(const TrainOptions& options, ThreadPool& pool);

  // What data without labels adds, at these weights, in double: for tests.  After lay_out().
  std::unique_ptr<CurvedFunction> log_partition(ThreadPool& pool);

 private:
  void check(const TrainOptions& options) const;
  OptimizeResult train_in_rounds(const TrainOptions& options, const ChainProblem& problem,
                                 std::span<double> w, const IterationCallback& see,
                                 SelfTrainingReport& report);
  ObjectiveMakers make_objectives(const TrainOptions& options, const SegmentExamples& examples);
  ObjectiveMaker<double> partition_maker() const;
  void set_terms(const TrainOptions& options, ChainProblem& problem);
  std::vector<std::vector<std::string_view>> label_holdout(std::span<const double> w,
                                                           ThreadPool& pool) const;
  ChainNames names() const;
  std::uint64_t fingerprint(const TrainOptions& options, const ChainProblem& problem,
                            std::span<const FeatureWeight> start) const;

  const Extractor& extractor_;
  const SegmentOptions& options_;
  std::shared_ptr<const SegmentModel> init_;
  SegmentEncoder encoder_;
  std::vector<TextSequence> holdout_;
  ChainData holdout_data_;
  SegmentExamples holdout_examples_;
  std::vector<TextSequence> unlabelled_;
  ChainData unlabelled_data_;
  SegmentExamples unlabelled_examples_;
  UnlabelledTerms terms_;
  LabelCost cost_;
  WeightPrior prior_;
  std::vector<double> weights_;
};

}  // namespace croft

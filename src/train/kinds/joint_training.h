// The training of a maximum-entropy model with joint features f(x, y).
//
//   f(w) = sum_n q_n L(M_n A_n w, y_n)                                                   (JF.5)
//
// A_n makes scores of cells (groups of labels) as a chain's scorer makes scores of labels, and M_n,
// part of the objective, scores of labels of these: data, layout, functions and optimisers are
// those of a chain whose labels are the cells.  docs/math/joint_features.md.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "features/extraction.h"
#include "features/joint_template.h"
#include "model/file/container.h"
#include "model/kinds/joint_model.h"
#include "objective/joint_likelihood.h"
#include "train/course/em.h"
#include "train/kinds/chain_training.h"

namespace croft {

// Feed sequences, then run.
class JointTraining : public SequenceTraining {
 public:
  // Kept by reference; the extractor's template is templates.extraction().
  //   classes : for %y[class]
  //   init    : to start from; its labels, features and weights are kept.  May be null
  // Throws UsageError where the templates lack a part of y that the model has.
  JointTraining(const Extractor& extractor, const JointTemplates& templates,
                const LabelClasses& classes, const JointModel* init = nullptr);
  // For expectations(): with the labels, groups and features of a model.  Kept by reference.
  explicit JointTraining(const JointModel& model);

  // Labelled; each position is an example of its own, its windows reach as far as the sequence.
  void add(const TextSequence& sequence, std::string_view file = {}) override;
  std::size_t sequences() const override { return sequences_; }
  std::size_t positions() const override { return data_.positions(); }
  double total_weight() const override;  // of the positions
  std::size_t labels() const override { return label_names_.size(); }
  std::size_t attributes() const override { return names_.size(); }

  // What the options come to; throws UsageError for an objective or an optimiser that joint
  // features have not.
  Method method(const TrainOptions& options) const;
  Precision precision(const TrainOptions& options) const;  // single or twice

  // Trains; of the options, those of other kinds must be left at their defaults.  observed features
  // are the pairs of an attribute and a group that the data shows where the template's part of y
  // holds.  Throws UsageError for bad options, Error when there is no example or feature, and where
  // a class of the model to start from has no label.
  TrainResult run(const TrainOptions& options, const TrainingCallback& callback,
                  const EarlyStop& stop = {});

  // After run(): the model file's sections.
  ContainerWriter model(const Json& training) const { return model(training, weights_); }
  // For tests: w of run(), and what it belongs to.
  std::span<const double> weights() const { return weights_; }
  const ChainLayout& layout() const { return layout_; }
  const ChainData& data() const { return data_; }
  const JointExamples& examples() const { return examples_; }
  std::string_view attribute(std::uint32_t row) const { return names_[row_name_[row]]; }

  // What the data has of each feature of the model or of these options, and what the model expects:
  // as ChainTraining's, of which names.node are set.  Valid as long as this.  Throws UsageError
  // without a model, Error when there is no example or feature.
  FeatureExpectations expectations(const TrainOptions& options);

  // What run() does first: numbers labels and features, all weights 0.  Throws Error where there
  // are classes of labels, but of none that the data has.
  void lay_out(const TrainOptions& options);

 private:
  void keep_names_of(const JointModel& model);
  void add_attribute(std::string_view name, std::size_t part);
  void check_classes() const;
  void find_examples();
  std::vector<double> empirical() const;
  double largest_total() const;
  MethodChoice choice(const TrainOptions& options) const;  // checked
  ContainerWriter model(const Json& training, std::span<const double> weights) const;
  std::uint64_t fingerprint(const TrainOptions& options, const ChainProblem& problem,
                            std::span<const FeatureWeight> start, std::uint64_t holdout) const;
  ChainLayout candidates(const TrainOptions& options) const;
  std::vector<std::uint64_t> observed_pairs() const;
  std::vector<std::uint32_t> cells_of_model() const;
  template <class Visit>
  void for_weights_of_model(Visit visit) const;
  std::vector<FeatureWeight> initial_weights() const;

  const Extractor& extractor_;
  const JointTemplates& templates_;
  const LabelClasses& classes_;
  const JointModel* init_ = nullptr;
  bool fixed_ = false;                      // the model's labels and groups, and no others
  std::vector<std::size_t> part_of_model_;  // [parts of the model] here
  TriggerFinder triggers_;
  StringTable names_, label_names_, cell_names_;
  std::vector<std::uint32_t> part_of_;        // [attributes]
  std::vector<std::uint32_t> cells_;          // [positions][tracks] of cell_names_
  std::vector<std::uint64_t> text_begin_{0};  // [sequences + 1] into positions
  std::size_t sequences_ = 0;
  ChainData data_;  // labels: the number of each position, for JointLikelihood
  std::vector<std::string> labels_;
  std::vector<std::vector<std::string>> group_names_;
  JointExamples examples_;
  ChainLayout layout_;
  std::vector<std::uint32_t> row_name_;  // [rows] id in names_
  std::vector<double> weights_;
};

}  // namespace croft

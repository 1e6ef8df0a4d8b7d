// A trained maximum-entropy model with joint features f(x, y): rows of weights over groups of
// labels. docs/math/joint_features.md, docs/format.md, "Joint features".
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "features/joint_template.h"
#include "model/chain_layout.h"
#include "model/kinds/sequence_model.h"

namespace croft {
class Json;

class JointModel final : public SequenceModel, public OpensFile<JointModel> {
 public:
  static constexpr std::string_view kKind = "joint-maxent";
  // Maps the file: the cost grows with labels and templates, not with weights.
  explicit JointModel(Container container);

  const JointTemplates& templates() const { return templates_; }
  const LabelParts& parts() const { return parts_; }
  // The group that a cell stands for: a label, a suffix, ...
  const std::string& group_name(std::uint32_t cell) const;
  // By attribute, JointTemplates::plain_string() of which is what its template makes; by cell.
  const FeatureTable& table() const { return table_; }

 private:
  // theta of (JF.2): positions do not depend on each other.
  //   cost: a look-up for each template and cell of a track, the weights of what is found, and O(L)
  //   for each part of y
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<float>& out) const override;
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<double>& out) const override;
  void read_groups();
  Label label_named(std::string_view name) const;
  template <class Real>
  void score_in(const TextSequence& sequence, Scratch& scratch, ChainScores<Real>& out) const;

  JointTemplates templates_;
  LabelParts parts_;
  std::vector<std::vector<std::string>> group_names_;  // [parts]; empty: the labels' own
  std::vector<std::string> label_names_;
  std::unordered_map<std::string_view, Label> label_number_;  // into label_names_
  FeatureTable table_;
  TriggerFinder triggers_;
  std::vector<std::uint32_t> trigger_row_;  // [triggers] of table_; kUnknown: it has no weight
};

// What a model is made of; views.
struct JointModelParts {
  std::vector<std::string> labels;
  const ExtractionConfig* extraction = nullptr;
  const JointTemplates* templates = nullptr;
  const LabelParts* parts = nullptr;
  const std::vector<std::vector<std::string>>* group_names = nullptr;
  const RowLayout* layout = nullptr;    // rows of cells
  std::vector<std::string_view> names;  // [rows]
  std::span<const double> weights;      // in the layout's order
  const Json* training = nullptr;       // the record to keep
};
ContainerWriter make_joint_model(const JointModelParts& parts);

}  // namespace croft

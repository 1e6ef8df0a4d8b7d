// A boosted model as inspect shows it: its trees, and the attributes that they test.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "model/kinds/boosted_model.h"

namespace croft {
// A model of trees, whatever its structure; refers to it.
class TreeModelView {
 public:
  TreeModelView(const BoostedModel& model);
  TreeModelView(const BoostedSegmentModel& model);

  const SequenceModel& model() const { return *model_; }
  const TreeScorer& scorer() const { return *scorer_; }
  const TreeEnsemble& trees() const { return scorer_->trees(); }
  std::size_t rounds() const { return rounds_; }
  // Labels of neighbours, [L], and their transitions, [L][L]; none where there are none.
  const std::vector<std::string>& neighbours() const { return neighbours_; }
  const TransitionScores<double>* transitions() const { return transitions_; }
  // What a tree scores: a label, all of them, a pair, or a segment's label.
  std::string output(std::uint32_t output) const;
  bool is_of_segments(std::uint32_t output) const {
    return segments_ && output != kAllOutputs && output >= model_->labels();
  }
  // An attribute's name, escaped; of one of segments with "segment " before it.
  std::string attribute(std::uint32_t id) const;

 private:
  const SequenceModel* model_;
  const TreeScorer* scorer_;
  const TransitionScores<double>* transitions_ = nullptr;
  std::size_t rounds_;
  bool segments_;
  std::vector<std::string> neighbours_;
};

struct AttributeImportance {
  std::uint32_t attribute = 0;
  double gain = 0;        // sum over its tests of (TB.6): what they were foreseen to gain, in nats
  std::size_t count = 0;  // of its tests
};
// Of all attributes that are tested, the largest gain first; equal ones by their names.
std::vector<AttributeImportance> importances(const TreeModelView& model);

}  // namespace croft

// What is in a boosted model: its summary, the attributes that its trees test, the trees.
// docs/inspect.md defines every line and field.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/kinds/boosted_model.h"
#include "model/kinds/boosted_segment_model.h"

namespace croft {
class Json;

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

std::string format_summary(const TreeModelView& model);
Json summary_json(const TreeModelView& model);

struct AttributeImportance {
  std::uint32_t attribute = 0;
  double gain = 0;        // sum over its tests of (TB.6): what they were foreseen to gain, in nats
  std::size_t count = 0;  // of its tests
};
// Of all attributes that are tested, the largest gain first; equal ones by their names.
std::vector<AttributeImportance> importances(const TreeModelView& model);

// The n most important attributes, the first n trees (of segments the first n of these, too), and
// the n transitions most in favour and most against.
std::string format_top(const TreeModelView& model, std::size_t n);
Json top_json(const TreeModelView& model, std::size_t n);

// All of it, one item a line, in pieces of some 64 KiB; names are escaped() (inspect.h), numbers
// have as few digits as give them back:
//   base       TAB label TAB score
//   transition TAB from TAB to TAB score
//   test       TAB tree TAB output TAB node TAB attribute TAB threshold TAB absent TAB left TAB
//   right TAB gain TAB count
//   leaf       TAB tree TAB output TAB leaf TAB value ...
void write_weights(const TreeModelView& model, const std::function<void(std::string_view)>& write);

}  // namespace croft

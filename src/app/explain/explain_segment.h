// Why a segment: what speaks for a predicted segment, and what for the best that could stand in its
// place, between the same neighbours.
//
//   score(s) - score(s') = sum of the differences of the reasons,    s' = s but for one segment,
//   whose positions are cut and labelled otherwise
//
// Or, where the data has other labels, s' has its segments in the stretch that is wrong.  Exact, as
// app/explain.h is for a chain: log p(s | x) - log p(s' | x).  docs/explain.md.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "app/explain/reasons.h"
#include "croft/inference/segment_sum.h"
#include "model/kinds/segment_model.h"

namespace croft {

// Its attributes are those of its positions; strings of templates are among the reasons, too.
struct ExplainedSegments : Explained {
  std::vector<Segment> segments;    // one, or those of a stretch
  std::vector<double> probability;  // of each, p(segment | x)
  std::vector<Segment> other;       // what s' has in their place; empty: nothing else is possible

  std::size_t begin() const { return segments.front().begin; }
  std::size_t end() const { return segments.back().end; }
};

struct SegmentExplanation {
  TagOutcome outcome;             // all below is empty or 0 unless outcome.found
  std::vector<Segment> segments;  // the most probable segmentation
  double log_probability = 0;     // log p(s | x)
  bool gold = false;              // stretches are compared with the data's segments
  // Those with a position of options.positions, or all: one segment each, or wrong stretches.
  std::vector<ExplainedSegments> explained;
};

// One a thread; the plan and its model are shared.  All numbers are computed in double.
class SegmentExplainer {
 public:
  // The plan must outlive it, and its model must be one of segments.  Throws UsageError for a plan
  // with a constraint, rules, partial labels, another decoding than Viterbi, or a calibration.
  explicit SegmentExplainer(const TagPlan& plan);

  const std::vector<std::string>& labels() const { return model_.segment_labels().names; }
  // options.against : a label of segments (labels()), the only one that s' may have in the place
  // Throws UsageError for a position or label that there is not, or no gold label.
  // Cost: O(T (cells + L^2)), and for each segment the same of its length, and of its neighbours'.
  SegmentExplanation explain(const TagInput& input, const ExplainOptions& options);

 private:
  struct Place;
  void explain_wrong(const TagInput& input, const ExplainOptions& options);
  void explain(const TextSequence& text, std::size_t first, std::size_t count,
               const ExplainOptions& options, ExplainedSegments& out);
  void find_other(const Place& place, const ExplainOptions& options, ExplainedSegments& out);
  void add_attributes(const TextSequence& text, ExplainedSegments& out);
  void add_strings(const Place& place, ExplainedSegments& out);
  void add_transitions(const Place& place, ExplainedSegments& out) const;
  void count_unknown(const TextSequence& text, bool names, ExplainedSegments& out);

  const TagPlan& plan_;
  const SegmentModel& model_;
  SegmentFeatures features_;
  SequenceModel::Scratch scratch_;
  SegmentModel::SegmentScratch<double> own_;
  SegmentFeatures::Scratch expansion_;
  SegmentStrings strings_;
  ChainScores<double> base_;
  SegmentScores<double> scores_, window_;
  SegmentBest best_;
  SegmentWorkspace<double> work_;
  Matrix<double> mu_, overlay_;
  std::vector<double> transition_;
  SegmentExplanation out_;
};

// As SequenceExplainer, for models of segments.  Throws as the SegmentExplainer's constructor.
SequenceExplainer segment_explainer(const TagPlan& plan);
ExplainedSequence shown(const SegmentExplanation& explanation, const LabelNames& names,
                        const TagInput& input, const InputSequence& read);

}  // namespace croft

// An objective over segmentations, as one of a chain whose positions are rows (segment_data.h).
//
//   L(rows) = L(theta(rows), gold),     dL/drows = the transpose of (SM.30) on dL/dtheta
//
// The chain's labels are those of columns; its transitions are those of segments, in the cells of
// the first labels.  In the place of gold stands, at the first position, the sequence's number.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "croft/objective/chain_objective.h"
#include "model/segments/segment_assembly.h"
#include "objective/segments/segment_objective.h"
#include "train/segments/segment_data.h"

namespace croft {

template <class Real>
using SegmentObjectiveMaker = std::function<std::unique_ptr<SegmentObjective<Real>>()>;

// Scores of segments from those of rows, with the transitions of segments: one a thread.
template <class Real>
class SegmentRowReader {
 public:
  explicit SegmentRowReader(const SegmentExamples& examples)  // kept by reference
      : examples_(examples), assembly_(examples.labels, examples.shape) {}

  // theta of sequence n; refers to this, until the next call.
  const SegmentScores<Real>& read(std::size_t n, const ChainScores<Real>& rows);
  // dL/drows from derivatives of what read() returned last.
  //   transition : [L * L]
  void write(std::size_t n, const ChainScores<Real>& rows, const Real* d_segment,
             const Real* d_overlay, std::span<const double> transition,
             const ChainGradient<Real>& out);

 private:
  const Real* positions_of(std::size_t n, const ChainScores<Real>& rows);
  SegmentRowScores<Real> rows_of(std::size_t n, const ChainScores<Real>& rows);
  void set_transitions(const TransitionScores<Real>& from);

  const SegmentExamples& examples_;
  SegmentAssembly<Real> assembly_;
  SegmentScores<Real> scores_;
  Matrix<Real> log_, seen_;  // [L][L] transitions, and what they were made of
  TransitionScores<Real> transitions_;
  Matrix<Real> position_;  // where labels share weights
  std::vector<const Real*> pair_;
  std::vector<Real*> d_pair_;
};

template <class Real>
class SegmentRowsObjective final : public CurvedChainObjective<Real> {
 public:
  SegmentRowsObjective(const SegmentExamples& examples,
                       std::unique_ptr<SegmentObjective<Real>> objective);

  using ChainObjective<Real>::operator();
  void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                  std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                  std::span<double> value) override;
  // Requires an objective that is a CurvedSegmentObjective.
  void curvature(const ChainScores<Real>& scores, const ChainScores<Real>& tangent,
                 const Gold& gold, double weight, const ChainGradient<Real>& out) override;
  std::size_t slow() const override { return objective_->slow(); }
  bool moved() const override { return objective_->moved(); }

 private:
  SegmentGradient<Real> reset(const SegmentScores<Real>& theta);

  const SegmentExamples& examples_;
  std::unique_ptr<SegmentObjective<Real>> objective_;
  CurvedSegmentObjective<Real>* curved_;  // the same, where it is one
  SegmentRowReader<Real> reader_, tangent_;
  Matrix<Real> d_segment_, d_overlay_;
  std::vector<double> transition_;  // [L * L]
};

}  // namespace croft

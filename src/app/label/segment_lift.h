// The chain that a segment model is walked as, under what limits positions and neighbours.
//
// A limit of positions is in the scores that segments are made of; one of neighbouring labels
// forbids edges between the chain's states (inference/segment_chain.h), each of which stands for a
// column label.
#pragma once
#include <span>
#include <vector>

#include "croft/inference/segment_chain.h"
#include "croft/inference/segment_viterbi.h"
#include "model/kinds/segment_model.h"

namespace croft {

template <class Real>
class SegmentLift {
 public:
  // Keeps a reference to the model.
  //   pairs : of column labels; what they forbid is forbidden
  //   scale : that all scores are multiplied by
  SegmentLift(const SegmentModel& model, const TransitionScores<Real>& pairs, double scale);

  struct Scratch {  // one a thread
    SegmentModel::SegmentScratch<Real> features;
    SegmentScores<Real> scores;
    SegmentBest best;
    std::vector<Segment> segments;
    ChainScores<Real> chain;
  };
  // theta of segments, in scratch.scores; base: scores of positions with their limits.
  const SegmentScores<Real>& score(const TextSequence& text, const ChainScores<Real>& base,
                                   Scratch& scratch) const;
  // The chain, in scratch.chain; calls score().
  const ChainScores<Real>& lift(const TextSequence& text, const ChainScores<Real>& base,
                                Scratch& scratch) const;
  // The best column labels, without the limits of neighbours.  False: none is allowed.
  bool best(const TextSequence& text, const ChainScores<Real>& base, Scratch& scratch,
            std::span<Label> y) const;
  // The score of column labels in scratch.scores; -inf where they spell no segmentation.
  double score_of(std::span<const Label> y, const Scratch& scratch) const;

  const std::vector<Label>& label_of() const { return chain_.label_of(); }
  const TransitionScores<Real>& transitions() const { return transitions_; }

 private:
  const SegmentModel& model_;
  Real scale_;
  TransitionScores<Real> segment_transitions_, transitions_;
  SegmentChain<Real> chain_;
};

}  // namespace croft

// A segmentation as the labelling of a chain: what can be asked of a chain can be asked of
// segments.
//
// A state of the chain is (label y, positions of the segment that remain after this one, whether it
// is the first).  Labellings of it and segmentations correspond one to one, with equal scores: K
// best, samples, subsets, spans, entropy, constraints, products with automata, partial labels and
// penalties are those of the chain.  A column label is label_of() a state, so that what limits
// positions or neighbours is added to states and edges.  docs/math/segments.md section 7.
//
//   const SegmentChain<double> lift(shape, labels, transitions);    // once
//   lift.lift(scores, work, chain);                                 // each x
//   viterbi(chain, chain_work, y);
//   lift.project(y, segments);
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/inference/segment_viterbi.h"
#include "croft/structure/chain.h"
#include "croft/structure/segment_labels.h"
#include "croft/structure/segments.h"

namespace croft {

// States and edges of a lift, known without building it: 2 cells - L states and some 2 L cells
// edges; with overlays about L cells states and L^2 cells edges.  An edge costs a recursion one
// step a position, and some 60 bytes once.
struct SegmentChainSize {
  double states, edges;
};
SegmentChainSize segment_chain_size(const SegmentShape& shape, bool overlays = false);

// The tied part; const after construction and shared by threads.  Chains that were lifted point to
// it, so it stays where it is.
template <class Real>
class SegmentChain {
 public:
  // `shape` is kept by reference; the others are only read here.
  //   overlays : scores with overlays will be lifted.  The states of first positions then know the
  //              label before
  SegmentChain(const SegmentShape& shape, const SegmentLabels& labels,
               const TransitionScores<Real>& transitions, bool overlays = false);
  SegmentChain(const SegmentChain&) = delete;
  SegmentChain& operator=(const SegmentChain&) = delete;

  struct State {
    Label label;
    std::uint32_t remaining;  // positions of the segment behind this one
    bool first;               // of the segment
    Label before;             // of the segment before; kAnyLabel: none, or not known to the state
    auto operator<=>(const State&) const = default;
  };
  std::size_t states() const { return states_.size(); }
  const State& state(Label s) const { return states_[s]; }
  const std::vector<Label>& label_of() const { return label_of_; }  // [S] column labels, increasing
  const TransitionScores<Real>& transitions() const { return transitions_; }
  // The pair of segment labels that each listed edge of transitions() joins, i * L + j, or kNoPair
  // for one inside a segment: [edges].
  static constexpr std::uint32_t kNoPair = 0xFFFFFFFF;
  const std::vector<std::uint32_t>& pair_of() const { return pair_of_; }

  // The chain of `scores`, which have the transitions that this was built from.  Scores of a long
  // segment are spread over its positions (SM.17), so that the recursions' fast paths hold; a
  // labelling has the score of its segmentation, up to rounding.  Time O(T (cells + S)).
  void lift(const SegmentScores<Real>& scores, SegmentBest& work, ChainScores<Real>& chain) const;

  // The segmentation that a labelling of the chain stands for.
  void project(std::span<const Label> y, std::vector<Segment>& segments) const;

  // The transpose of lift(): derivatives of the chain's scores to those of the segments'.
  //   d_state      : [T][padded(S)];  d_transition : [edges] as ChainGradient has it
  //   out          : segment and overlay are overwritten, transition is added to
  void project_derivatives(const SegmentScores<Real>& scores, const Real* d_state,
                           std::span<const double> d_transition,
                           const SegmentGradient<Real>& out) const;

 private:
  const SegmentShape& shape_;
  bool overlays_;
  std::vector<State> states_;
  std::vector<Label> label_of_;
  std::vector<std::uint32_t> pair_of_;
  TransitionScores<Real> transitions_;
  std::vector<Label> first_of_;  // [cells][1 or L + 1] the state that begins a segment of a cell
};

}  // namespace croft

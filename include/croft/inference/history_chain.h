// A chain of order n through the recursions for order 1: its scores, lifted to label histories.
//
//   score(y) = (C.1) + sum over t and m = 3 .. n + 1 of w[gram y_{t-m+1} … y_t]           (H.1)
//
// The lifted chain has the histories as labels and sparse transitions over a background of -inf.
// Pairs and grams of at most n labels are scored by the states that end in them, grams of n + 1 by
// the edges.  Lifted scores are linear in the base scores and the grams' weights, theta' = E theta;
// project() and project_tied() are the transpose.  docs/math/higher_order.md section 3.
#pragma once
#include <span>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/structure/chain.h"
#include "croft/structure/label_histories.h"

namespace croft {

template <class Real>
class HistoryScores {
 public:
  explicit HistoryScores(const LabelHistories& histories);  // kept by reference

  // Takes what is tied over positions and sequences.  Required before lift().
  //   pairs : the transitions of the base chains, dense or sparse
  //   gram  : [G] weights, finite
  // Cost O(S + edges).
  void assign(const TransitionScores<Real>& pairs, std::span<const double> gram);

  // The lifted chain of `base`, whose transitions were given to assign(); it has no overlays, and
  // refers to transitions().  What no labelling can reach (a history of other than min(t + 1, n)
  // labels at t) is -inf.  Cost O(T S), no allocation once warm.
  void lift(const ChainScores<Real>& base, ChainScores<Real>& lifted) const;

  const LabelHistories& histories() const { return histories_; }
  const TransitionScores<Real>& transitions() const { return transitions_; }

 private:
  const LabelHistories& histories_;
  Matrix<Real> tied_;  // [n][S] row m - 1: pair and grams of the states of m labels; others -inf
  std::vector<double> pair_;  // scratch
  std::vector<Real> score_;   // likewise
  TransitionScores<Real> transitions_;
};

// The transpose of lift() for one sequence, down to what belongs to a position.
//   base    : as it was lifted
//   d_state : [T][padded(S)] dL/dstate of the lifted chain; 0 where the lifted score is -inf
//   out     : state and, unless null, overlay are overwritten with dL/d(base score); transition
//             is left alone
//   d_tied  : [S] the sum of d_state over positions is added to it
// Cost O(T S), and O(K L^2) for K overlays.
template <class Real>
void project(const LabelHistories& histories, const ChainScores<Real>& base, const Real* d_state,
             const ChainGradient<Real>& out, std::span<double> d_tied);

// The rest, once for many sequences: the transpose of assign().
//   d_tied       : [S] from project()
//   d_transition : [edges] as the recursions add it to ChainGradient::transition
//   pairs        : the transitions of the base chains
//   d_pair       : [pairs.cells()] dL/dtransition of the base chains is added to it
//   d_gram       : [G] dL/dweight is added to it
// Cost O(S + edges).
template <class Real>
void project_tied(const LabelHistories& histories, std::span<const double> d_tied,
                  std::span<const double> d_transition, const TransitionScores<Real>& pairs,
                  std::span<double> d_pair, std::span<double> d_gram);

// Part of the two.  What a state scores wherever it stands, tied of (H.3):
//   pair : [histories.pairs] the scores of these pairs
//   gram : [G]
//   tied : [S] overwritten
// Cost O(S), and the grams in its states.
template <class Real>
void tied_scores(const LabelHistories& histories, std::span<const double> pair,
                 std::span<const double> gram, std::span<Real> tied);
// Its transpose: d_state [S]; d_pair [histories.pairs] and d_gram [G] are added to.
void project_states(const LabelHistories& histories, std::span<const double> d_state,
                    std::span<double> d_pair, std::span<double> d_gram);

// Threads: no hidden state; share HistoryScores once assigned.
}  // namespace croft

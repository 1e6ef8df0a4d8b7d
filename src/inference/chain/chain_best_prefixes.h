// The table of best prefixes, and the way back through it.  Internal.
#pragma once
#include "croft/inference/chain_viterbi.h"

namespace croft {

// (C.8): fills work.best, each row less its maximum.  False when no labelling is allowed; then the
// table is incomplete.  Sparse transitions give the same numbers as the dense table that they stand
// for.
bool best_prefixes(const ChainScores<float>& scores, ViterbiWorkspace<float>& work);
bool best_prefixes(const ChainScores<double>& scores, ViterbiWorkspace<double>& work);

// The same for sparse transitions alone; best_prefixes() calls it.
template <class Real>
bool sparse_best_prefixes(const ChainScores<Real>& scores, ViterbiWorkspace<Real>& work);

// visit(i, best[t-1][i] + edge(t; i, j)) for the labels i that may precede j at t >= 1, increasing.
// The sums are, to the last bit, those whose maximum the table holds.  Forbidden edges of a sparse
// background are left out; other sums may be -inf.
template <class Real, class Visit>
void for_each_predecessor(const ChainScores<Real>& scores, const Matrix<Real>& best, std::size_t t,
                          Label j, const Visit& visit) {
  const TransitionScores<Real>& tied = *scores.transitions;
  const Real* previous = best.row(t - 1);
  const Label labels = static_cast<Label>(scores.labels());
  if (!tied.sparse()) {
    const Matrix<Real>& log = tied.log();
    const Real* column = log.row(0) + j;
    const Real* extra = scores.overlay_row(t, 0);
    for (Label i = 0; i < labels; ++i) {
      Real v = previous[i] + column[i * log.stride()];
      if (extra != nullptr) v += extra[i * log.stride() + j];
      visit(i, v);
    }
    return;
  }
  const EdgeLists<Real>& lists = tied.arriving();
  const std::uint32_t end = lists.begin[j + 1];
  std::uint32_t k = lists.begin[j];
  if (tied.background() == Background::forbidden) {
    for (; k < end; ++k) visit(lists.other[k], previous[lists.other[k]] + lists.log[k]);
    return;
  }
  Label i = 0;
  for (; k < end; ++k) {
    for (; i < lists.other[k]; ++i) visit(i, previous[i]);
    visit(i, previous[i] + lists.log[k]);
    ++i;
  }
  for (; i < labels; ++i) visit(i, previous[i]);
}

}  // namespace croft

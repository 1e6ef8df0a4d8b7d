// The best labelling of a chain: max for sum.  docs/math/chain.md section 4.
//
// Viterbi (1967); Rabiner (1989) section III.B.
#pragma once
#include <span>

#include "croft/structure/chain.h"

namespace croft {

template <class Real>
struct ViterbiWorkspace {
  Matrix<Real> best;  // [T][L] score of the best prefix ending in j at t, less the row's maximum
};

// Writes the labelling of the largest score (C.8) to y (y.size() == T) and returns that score, by (C.1);
// -inf, with y unspecified, when no labelling is allowed; 0 when T == 0.
// Among equals the smaller label wins at the last position where they differ.
// Time O(T L^2), memory O(T L): back pointers are recomputed along the best path alone.
template <class Real>
double viterbi(const ChainScores<Real>& scores, ViterbiWorkspace<Real>& work, std::span<Label> y);

}  // namespace croft

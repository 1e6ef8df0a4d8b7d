// The best labelling of a chain: max for sum.  docs/math/chain.md section 4; sparse transitions:
// docs/math/chain_queries.md section 2.
//
// Viterbi (1967); Rabiner (1989) section III.B.
#pragma once
#include <span>
#include <vector>

#include "croft/structure/chain.h"

namespace croft {

template <class Real>
struct ViterbiWorkspace {
  Matrix<Real> best;  // [T][L] score of the best prefix ending in j at t, less the row's maximum
  // Scratch for sparse transitions.
  std::vector<Label> order, open;
  std::vector<Real> largest;
};

// Writes the labelling of the largest score (C.8) to y (y.size() == T) and returns that score, by
// (C.1); -inf, with y unspecified, when no labelling is allowed; 0 when T == 0.
// Among equals the smaller label wins at the last position where they differ.
// Memory O(T L): back pointers are recomputed along the best path alone.  Time O(T L^2); with
// sparse transitions O(T (L + listed edges)) at most, less where few predecessors can matter, and
// the same labelling and score as with the dense table that they stand for.
template <class Real>
double viterbi(const ChainScores<Real>& scores, ViterbiWorkspace<Real>& work, std::span<Label> y);

}  // namespace croft

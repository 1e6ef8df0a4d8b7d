// The best segmentation: max for sum.  docs/math/segments.md section 5.
//
// Sarawagi & Cohen (2004).
#pragma once
#include <vector>

#include "croft/structure/segments.h"

namespace croft {

// The best prefixes, relative to a level at each boundary so that digits are kept however long the
// sequence is.  Boundary t is between positions t - 1 and t.  Grows, never shrinks.
struct SegmentBest {
  std::vector<double> level;  // [T + 1] a whole number near the best prefix that ends at t
  Matrix<double> end;    // [T + 1][L] best prefix that ends at t with a segment of y, - level[t]
  Matrix<double> begin;  // [T][L] best prefix that a segment of y may follow, - level[t]
  Matrix<double> slot;   // [L][T + 1 + lanes] scratch
  AlignedVector<double> cells;  // scratch: a row of segment scores with overlays
  // Whether some segmentation of the first t positions is allowed.
  std::vector<std::uint8_t> reached;  // [T + 1]
};

// Fills `best` (SM.16).  False when no segmentation is allowed.  Cost O(T cells + T L^2).
template <class Real>
bool best_prefixes(const SegmentScores<Real>& scores, SegmentBest& best);

// Writes the segmentation of the largest score and returns that score, by (SM.1); -inf, with
// nothing written, when none is allowed; 0 when T == 0.  Sums are in double.
// Among equals, from the end backwards: the smaller label, then the shorter segment.
template <class Real>
double viterbi(const SegmentScores<Real>& scores, SegmentBest& best, std::vector<Segment>& out);

}  // namespace croft

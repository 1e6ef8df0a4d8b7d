// Exact sums over segmentations in the log domain: the reference.
//
// Reads like docs/math/segments.md section 2, in double, normalised at every boundary.  Slow and
// safe for every finite score: what the fast kernels of segment_sum.h are tested against, and fall
// back on where underflow cannot be ruled out.
#pragma once
#include <vector>

#include "croft/core/compensated_sum.h"
#include "croft/structure/segments.h"

namespace croft {

struct SegmentLogWorkspace {
  std::vector<double> step;  // [T + 1] what the normaliser of boundary t adds to that of t - 1
  Matrix<double> end;        // [T + 1][L] log-sum of prefixes that end at t with y, normalised
  Matrix<double> begin;      // [T][L] log-sum of prefixes that a segment of y may follow
  Matrix<double> suffix;     // [T + 1][L] log p(one of y ends at t) - end[t][y]
  CompensatedSum log_z;
};

// log Z: 0 when T = 0, -inf when no segmentation is allowed.
template <class Real>
double log_domain_partition(const SegmentScores<Real>& scores, SegmentLogWorkspace& work);

// log Z and its derivatives times `scale`, as marginals() of segment_sum.h.
template <class Real>
double log_domain_marginals(const SegmentScores<Real>& scores, double scale,
                            SegmentLogWorkspace& work, const SegmentGradient<Real>& out);

}  // namespace croft

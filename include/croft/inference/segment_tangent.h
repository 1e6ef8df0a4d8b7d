// How the marginals of segments change with their scores: the second derivative of log Z.
//
// For a direction d in the space of the scores let S(s) be the sum of d over the entries that a
// segmentation s uses, as (SM.1) sums the scores.  Then, for the indicator (or count) n_c of an
// entry c,
//
//   d/de log Z(theta + e d) = E[S]
//   d/de mu_c(theta + e d)  = Cov(S, n_c)                                                 (SM.31)
//
// as (V.14) and (V.15) have it for chains.  docs/math/segments.md section 9.
#pragma once
#include <memory>

#include "croft/inference/chain_sum.h"  // ChainPath
#include "croft/structure/segments.h"

namespace croft {

// Scratch reused across sequences; grows, never shrinks.  One per thread.
struct SegmentTangentWorkspace {
  struct Tables;
  std::shared_ptr<Tables> tables;             // made when first needed
  ChainPath path = ChainPath::scaled_double;  // the one that the last call took: this or log_domain
};

// out = scale (d^2 log Z / dtheta dtheta) direction; returns E[S].
//   direction : same shape as scores, overlays of the same segments.  Finite; what it holds where
//               scores are -inf does not matter
//   out       : as marginals() writes it: segment and overlay overwritten, transition added to
// Where no segmentation is allowed: returns 0, segment and overlay are 0.
// Time: about twice that of marginals() in double, and O(T L^2) exponentials in the log domain.
template <class Real>
double marginals_tangent(const SegmentScores<Real>& scores, const SegmentScores<Real>& direction,
                         double scale, SegmentTangentWorkspace& work,
                         const SegmentGradient<Real>& out);

// Related: segment_sum.h (the first derivative), chain_tangent.h (the same of a chain).
}  // namespace croft

// Exact sums over all segmentations: log Z and its derivatives, the marginals of segments.
//
// Reads like docs/math/segments.md sections 2 to 4; equation numbers (SM.n) point there.
// See also Sarawagi & Cohen (2004).
//
// Label and length are summed one after the other, so that a position costs cells + L^2, not
// D L^2.  Fast path: the linear domain in SIMD over lengths, relative to the best segmentation
// up to each position.  It is taken only where checks of the running values prove that nothing
// that matters has underflowed (section 4): first in Real, then in double; any other sequence takes
// the log domain (segment_log_domain.h).
#pragma once
#include <memory>
#include <vector>

#include "croft/core/compensated_sum.h"
#include "croft/inference/chain_sum.h"  // ChainPath
#include "croft/inference/segment_viterbi.h"
#include "croft/structure/segments.h"

namespace croft {

// Scratch reused across sequences; grows, never shrinks.  One per thread.
template <class Real>
struct SegmentWorkspace {
  SegmentBest best;            // of every boundary: what the sums are relative to
  AlignedVector<Real> level;   // [T + 1 + lanes] whole numbers near the best scores
  Matrix<Real> end;            // [T + 1][L] prefixes that end here with label y      (SM.10)
  Matrix<Real> begin;          // [T][L] prefixes that a segment of y may follow
  Matrix<Real> unit;           // [T][L] what weight is to be multiplied by, beside begin
  Matrix<Real> weight;         // [T + 1][cells] begin unit weight: prefixes that end so (SM.9)
  Matrix<Real> share;          // [T][L] p(a segment of y begins at t) / begin[t][y]
  Matrix<Real> suffix;         // [L][T + 1 + lanes] p(one of y ends at t) / end[t][y]
  Matrix<Real> slot;           // [L][T + 1 + lanes] sums of what has been pushed
  Matrix<Real> overlay_share;  // [overlays][L] p(label before | segment)
  Matrix<Real> row;            // scratch
  std::vector<int> exponent;   // [T + 1] the sums at t are 2^exponent times what is stored
  CompensatedSum log_z;        // with the digits that a double would lose
  ChainPath path = ChainPath::scaled;  // the one that computed what is here

  struct Fallback;  // for the other paths; made when first needed
  std::shared_ptr<Fallback> fallback;
};

// log Z by the forward recursion (SM.4).
//   returns: log Z in nats; 0 when T == 0; -inf when no segmentation is allowed.
// Time O(T cells + T L^2), and O(L) for each row of an overlay.
template <class Real>
double log_partition(const SegmentScores<Real>& scores, SegmentWorkspace<Real>& work);

// d log Z / d scores, entry by entry, times `scale`; returns log Z.
//   out.segment[t][c]     = scale p(segment c begins at t | x)            overwritten, padding 0
//   out.overlay[k][i]     = scale p(that segment, after one of label i)   overwritten
//   out.transition[i][j] += scale (expected number of i followed by j)
// Returns -inf, and leaves `out` untouched, when no segmentation is allowed.
template <class Real>
double marginals(const SegmentScores<Real>& scores, double scale, SegmentWorkspace<Real>& work,
                 const SegmentGradient<Real>& out);

// Threads: no hidden state; share `scores`, never `work`.
// Related: segment_viterbi.h (max for sum), segment_posterior.h (lists of segments, marginals of
// column labels), segment_chain.h (every other question).
}  // namespace croft

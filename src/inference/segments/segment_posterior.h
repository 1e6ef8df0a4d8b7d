// Questions to p(segments | x) that need no more than the marginals of segments.
//
// docs/math/segments.md section 6.  k best, samples, subsets, entropy and every limit or rule go
// through the lifted chain (segment_chain.h).
#pragma once
#include <vector>

#include "croft/structure/segment_labels.h"
#include "croft/structure/segments.h"

namespace croft {

struct SegmentProbability {
  Segment segment;
  double p;
};

// The segments with p >= threshold, by begin, label and length.
//   mu : [T][cells] p(segment | x), as marginals() of segment_sum.h writes it with scale 1
template <class Real>
std::vector<SegmentProbability> segments_above(const SegmentShape& shape, const Matrix<Real>& mu,
                                               double threshold);

// out[t][c] = p(column label of t is c | x), (SM.18); reshaped to [T][columns], padding 0.
// O(T (cells + columns)): what a segment gives to its positions is added as differences.
template <class Real>
void column_marginals(const SegmentShape& shape, const SegmentLabels& labels,
                      const Matrix<Real>& mu, std::size_t columns, Matrix<double>& out);

}  // namespace croft

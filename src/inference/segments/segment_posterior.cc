#include "inference/segments/segment_posterior.h"

#include <algorithm>

namespace croft {

template <class Real>
std::vector<SegmentProbability> segments_above(const SegmentShape& shape, const Matrix<Real>& mu,
                                               double threshold) {
  std::vector<SegmentProbability> list;
  for (std::size_t t = 0; t < mu.rows(); ++t) {
    for (Label y = 0; y < shape.labels(); ++y) {
      for (std::size_t d = 1; d <= std::min(shape.longest(y), mu.rows() - t); ++d) {
        const double p = double{mu(t, shape.cell(y, d))};
        if (p >= threshold) list.push_back({{t, t + d, y}, p});
      }
    }
  }
  return list;
}

template <class Real>
void column_marginals(const SegmentShape& shape, const SegmentLabels& labels,
                      const Matrix<Real>& mu, std::size_t columns, Matrix<double>& out) {
  const std::size_t length = mu.rows();
  out.assign(length, columns, 0.0);
  std::vector<double>
      change;  // [T + 1] of what is inside a longer segment, from position to position
  for (Label y = 0; y < shape.labels(); ++y) {
    change.assign(length + 1, 0.0);
    for (std::size_t t = 0; t < length; ++t) {
      const Real* p = mu.row(t) + shape.first[y];
      out(t, labels.single_of(y)) += double{p[0]};
      double longer = 0;
      for (std::size_t d = 2; d <= std::min(shape.longest(y), length - t); ++d) {
        longer += double{p[d - 1]};
        change[t + d - 1] -= double{p[d - 1]};
        out(t + d - 1, labels.last_of(y)) += double{p[d - 1]};
      }
      if (longer == 0) continue;
      out(t, labels.first[y]) += longer;
      change[t + 1] += longer;
    }
    if (labels.inside[y] == SegmentLabels::kNone) continue;
    double inside = 0;
    for (std::size_t t = 0; t < length; ++t) {
      inside += change[t];
      out(t, labels.inside[y]) += std::max(inside, 0.0);
    }
  }
}

template std::vector<SegmentProbability> segments_above(const SegmentShape&, const Matrix<float>&,
                                                        double);
template std::vector<SegmentProbability> segments_above(const SegmentShape&, const Matrix<double>&,
                                                        double);
template void column_marginals(const SegmentShape&, const SegmentLabels&, const Matrix<float>&,
                               std::size_t, Matrix<double>&);
template void column_marginals(const SegmentShape&, const SegmentLabels&, const Matrix<double>&,
                               std::size_t, Matrix<double>&);

}  // namespace croft

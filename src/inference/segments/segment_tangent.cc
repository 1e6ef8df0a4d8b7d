#include "croft/inference/segment_tangent.h"

#include <algorithm>

#include "core/infinity.h"
#include "inference/segments/segment_covariance.h"
#include "structure/copy_scores.h"

namespace croft {

struct SegmentTangentWorkspace::Tables {
  TransitionScores<double> transitions;
  SegmentScores<double> scores;
  SegmentCovariance covariance;
  Matrix<double> segment, overlay, edge;  // the direction, in double
  Matrix<double> d_segment, d_overlay;    // the change
};

template <class Real>
double marginals_tangent(const SegmentScores<Real>& scores, const SegmentScores<Real>& direction,
                         double scale, SegmentTangentWorkspace& work,
                         const SegmentGradient<Real>& out) {
  if (!work.tables) work.tables = std::make_shared<SegmentTangentWorkspace::Tables>();
  SegmentTangentWorkspace::Tables& tables = *work.tables;
  const std::size_t labels = scores.labels();
  tables.transitions = convert<double>(*scores.transitions);
  copy_tables(scores, tables.scores);
  tables.scores.transitions = &tables.transitions;
  const bool overlays = out.overlay != nullptr;
  const auto write = [](const Matrix<double>& from, Real* to) {
    std::transform(from.row(0), from.row(0) + from.rows() * from.stride(), to,
                   [](double value) { return static_cast<Real>(value); });
  };
  tables.d_segment.assign(scores.length(), scores.segment.columns(), 0.0);
  tables.d_overlay.assign(scores.overlay.rows(), labels, 0.0);
  double expected = 0;
  if (tables.covariance.read(tables.scores) > -kInf) {
    copy_rows(direction.segment, tables.segment);
    copy_rows(direction.overlay, tables.overlay);
    tables.edge.reshape(labels, labels);
    for (Label i = 0; i < labels; ++i) {
      for (Label j = 0; j < labels; ++j) tables.edge(i, j) = direction.transitions->at(i, j);
    }
    expected =
        tables.covariance({tables.segment, &tables.edge, &tables.overlay}, scale,
                          {tables.d_segment.row(0), tables.d_overlay.row(0), out.transition});
    work.path = tables.covariance.scaled() ? ChainPath::scaled_double : ChainPath::log_domain;
  }
  write(tables.d_segment, out.segment);
  if (overlays) write(tables.d_overlay, out.overlay);
  return expected;
}

template double marginals_tangent(const SegmentScores<float>&, const SegmentScores<float>&, double,
                                  SegmentTangentWorkspace&, const SegmentGradient<float>&);
template double marginals_tangent(const SegmentScores<double>&, const SegmentScores<double>&,
                                  double, SegmentTangentWorkspace&, const SegmentGradient<double>&);

}  // namespace croft

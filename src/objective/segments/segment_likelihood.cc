#include <cmath>

#include "core/infinity.h"
#include "objective/segments/segment_objective.h"
#include "objective/segments/segment_terms.h"
#include "structure/copy_scores.h"

namespace croft {

template <class Real>
double SegmentLikelihood<Real>::operator()(const SegmentScores<Real>& scores,
                                           const SegmentGold& gold, double weight,
                                           const SegmentGradient<Real>& out) {
  if (marginals(scores, weight, work_, out) == -kInf) return kInf;
  slow_ += work_.path != ChainPath::scaled;
  CompensatedSum loss = work_.log_z;
  if (gold.is_complete) {
    const auto subtract = [&](double value) { loss.add(-value); };  // large scores cancel
    if (!for_each_score(scores, gold.segments, subtract)) return kInf;
    add_segmentation(scores, gold.segments, -weight, out);
    return std::isfinite(loss.value()) ? weight * loss.value() : kInf;
  }
  copy_tables(scores, restricted_);
  restricted_.transitions = scores.transitions;
  restrict_to(labels_, gold.columns, restricted_);
  segment_.reshape(scores.length(), scores.segment.columns());
  overlay_.reshape(scores.overlay.rows(), scores.overlay.columns());
  // The tied derivatives need no table of their own.
  const SegmentGradient<Real> into{
      segment_.row(0), out.overlay == nullptr ? nullptr : overlay_.row(0), out.transition};
  if (marginals(restricted_, -weight, work_, into) == -kInf) return kInf;
  slow_ += work_.path != ChainPath::scaled;
  add_to(segment_, out.segment);
  if (out.overlay != nullptr) add_to(overlay_, out.overlay);
  return weight * difference(loss, work_.log_z);
}

template <class Real>
void SegmentCostAugmenter::operator()(const SegmentScores<Real>& scores, const SegmentGold& gold,
                                      SegmentScores<Real>& out) {
  copy_tables(scores, out);
  out.transitions = scores.transitions;
  const SegmentShape& shape = *scores.shape;
  const std::size_t length = scores.length(), labels = shape.labels();
  Gold columns = gold.columns;
  if (gold.is_complete) {
    columns_.resize(length);
    spell(labels_, gold.segments, columns_);
    columns = Gold(columns_);
  }
  row_.reshape(length, cost_.labels());
  inside_.reshape(length + 1, labels);
  std::ranges::fill(inside_[0], 0.0);
  for (std::size_t t = 0; t < length; ++t) {
    position_cost(cost_, columns, t, row_[t]);
    for (Label y = 0; y < labels; ++y) {
      const Label inside = labels_.inside[y];
      inside_(t + 1, y) = inside_(t, y) + (inside == SegmentLabels::kNone ? 0.0 : row_(t, inside));
    }
  }
  for (std::size_t t = 0; t < length; ++t) {
    for (Label y = 0; y < labels; ++y) {
      Real* cell = out.segment.row(t) + shape.first[y];
      cell[0] += static_cast<Real>(row_(t, labels_.single_of(y)));
      const double first = row_(t, labels_.first[y]);
      for (std::size_t d = 2; d <= std::min(shape.longest(y), length - t); ++d) {
        const double inner = inside_(t + d - 1, y) - inside_(t + 1, y);
        cell[d - 1] += static_cast<Real>(first + inner + row_(t + d - 1, labels_.last_of(y)));
      }
    }
  }
}

double SegmentCostAugmenter::cost(std::span<const Segment> predicted) const {
  double sum = 0;
  for (const auto& [begin, end, y] : predicted) {
    for (std::size_t t = begin; t < end; ++t) {
      sum += row_(t, labels_.column(y, t - begin, end - begin));
    }
  }
  return sum;
}

// What fits costs nothing, so the restricted sum of the likelihood is that of theta.
template <class Real>
double SegmentSoftmaxMargin<Real>::operator()(const SegmentScores<Real>& scores,
                                              const SegmentGold& gold, double weight,
                                              const SegmentGradient<Real>& out) {
  augment_(scores, gold, augmented_);
  return likelihood_(augmented_, gold, weight, out);
}

template <class Real>
double SegmentLogPartition<Real>::operator()(const SegmentScores<Real>& scores,
                                             const SegmentGold& /*gold*/, double weight,
                                             const SegmentGradient<Real>& out) {
  const double log_z = marginals(scores, weight, work_, out);
  slow_ += work_.path != ChainPath::scaled;
  return weight * log_z;
}

template <class Real>
void SegmentLogPartition<Real>::curvature(const SegmentScores<Real>& scores,
                                          const SegmentScores<Real>& tangent,
                                          const SegmentGold& /*gold*/, double weight,
                                          const SegmentGradient<Real>& out) {
  marginals_tangent(scores, tangent, weight, tangent_, out);
}

template class SegmentLogPartition<float>;
template class SegmentLogPartition<double>;
template class SegmentLikelihood<float>;
template class SegmentLikelihood<double>;
template class SegmentSoftmaxMargin<float>;
template class SegmentSoftmaxMargin<double>;
template void SegmentCostAugmenter::operator()(const SegmentScores<float>&, const SegmentGold&,
                                               SegmentScores<float>&);
template void SegmentCostAugmenter::operator()(const SegmentScores<double>&, const SegmentGold&,
                                               SegmentScores<double>&);

}  // namespace croft

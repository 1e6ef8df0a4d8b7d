#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "objective/segments/segment_objective.h"
#include "objective/segments/segment_terms.h"

namespace croft {
namespace {

// The segments of `all` that `other` does not have, each after the one before it in `all`: runs of
// neighbours, whose first is there for its label alone.
template <class Visit>
void for_each_difference(std::span<const Segment> all, std::span<const Segment> other,
                         const Visit& visit) {
  std::size_t j = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    while (j < other.size() && other[j].begin < all[k].begin) ++j;
    const bool same = j < other.size() && other[j] == all[k];
    const bool same_before = k == 0 || (same && j > 0 && other[j - 1].label == all[k - 1].label);
    if (!same || !same_before) visit(k, same);
  }
}

// out += weight 1[segments] where the two segmentations differ.
template <class Real>
void add_difference(const SegmentScores<Real>& scores, std::span<const Segment> segments,
                    std::span<const Segment> other, double weight,
                    const SegmentGradient<Real>& out) {
  const SegmentShape& shape = *scores.shape;
  const Real one = static_cast<Real>(weight);
  for_each_difference(segments, other, [&](std::size_t k, bool same) {
    const auto& [begin, end, y] = segments[k];
    const std::size_t cell = shape.cell(y, end - begin);
    if (!same) out.segment[begin * scores.segment.stride() + cell] += one;
    if (k == 0) return;
    const Label before = segments[k - 1].label;
    if (out.transition != nullptr) out.transition[before * shape.labels() + y] += weight;
    const std::size_t overlay = overlay_at(scores, begin, cell);
    if (overlay == kNoSegmentOverlay || out.overlay == nullptr) return;
    out.overlay[overlay * scores.overlay.stride() + before] += one;
  });
}

}  // namespace

template <class Real>
double SegmentHinge<Real>::operator()(const SegmentScores<Real>& scores, const SegmentGold& gold,
                                      double weight, const SegmentGradient<Real>& out) {
  moved_ = false;
  clear(scores, out);
  if (augment_) (*augment_)(scores, gold, augmented_);
  if (viterbi(augment_ ? augmented_ : scores, best_, segments_) == -kInf) return kInf;
  CompensatedSum margin;  // term by term: large scores cancel
  const auto add = [&](double value) { margin.add(value); };
  const auto subtract = [&](double value) { margin.add(-value); };
  for_each_score<Real>(scores, segments_, add);
  if (!for_each_score(scores, gold.segments, subtract)) return kInf;
  if (augment_) margin.add(augment_->cost(segments_));
  const double loss = margin.value();
  if (!std::isfinite(loss)) return kInf;
  // Gold may be better by what rounding hid from the search.  Where both are as good, the
  // perceptron takes the search at its word: from w = 0, where all are, it would never move.
  const bool tie = loss == 0 && !augment_ && !std::ranges::equal(segments_, gold.segments);
  if (!(loss > 0 || tie)) {
    segments_.assign(gold.segments.begin(), gold.segments.end());
    return 0;
  }
  moved_ = true;
  add_difference<Real>(scores, segments_, gold.segments, weight, out);
  add_difference<Real>(scores, gold.segments, segments_, -weight, out);
  return weight * loss;
}

template class SegmentHinge<float>;
template class SegmentHinge<double>;

}  // namespace croft

// The oracle: every segmentation of a sequence, one by one.
//
// Exponential in T.  Everything is summed in long double from the definition, docs/math/segments.md
// (SM.1) and (SM.2).
#pragma once
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "croft/structure/segments.h"
#include "inference/segments/segment_overlays.h"

namespace croft::testing_support {

using VisitSegmentation = std::function<void(const std::vector<Segment>&, long double)>;

inline void extend_segmentation(const SegmentScores<double>& scores, std::vector<Segment>& segments,
                                long double sum, const VisitSegmentation& visit) {
  const std::size_t t = segments.empty() ? 0 : segments.back().end;
  if (t == scores.length()) {
    visit(segments, sum);
    return;
  }
  const SegmentShape& shape = *scores.shape;
  for (Label y = 0; y < shape.labels(); ++y) {
    for (std::size_t d = 1; d <= shape.longest(y) && t + d <= scores.length(); ++d) {
      const std::size_t cell = shape.cell(y, d);
      long double next = sum + scores.segment(t, cell);
      if (!segments.empty()) {
        const Label before = segments.back().label;
        next += scores.transitions->at(before, y);
        const std::size_t k = overlay_at(scores, t, cell);
        if (k != kNoSegmentOverlay) next += scores.overlay(k, before);
      }
      if (std::isinf(next)) continue;
      segments.push_back({t, t + d, y});
      extend_segmentation(scores, segments, next, visit);
      segments.pop_back();
    }
  }
}

// visit(segments, score) for every segmentation with a finite score, in the order of the first
// segment's label, then its length, then of what follows.  Length 0 has one, the empty one.
inline void for_each_segmentation(const SegmentScores<double>& scores,
                                  const VisitSegmentation& visit) {
  std::vector<Segment> segments;
  extend_segmentation(scores, segments, 0, visit);
}

struct SegmentBruteForce {
  double log_partition;       // -inf when no segmentation is allowed
  std::vector<Segment> best;  // the first of the largest score
  double best_score;          // -inf when no segmentation is allowed
  Matrix<double> segment;     // [T][cells] p(that segment | x)
  Matrix<double> overlay;     // [overlays][L] p(that segment after one of the label | x)
  Matrix<double> transition;  // [L][L] expected number of neighbours
};
inline SegmentBruteForce brute_force(const SegmentScores<double>& scores) {
  const SegmentShape& shape = *scores.shape;
  SegmentBruteForce result;
  result.best_score = result.log_partition = -std::numeric_limits<double>::infinity();
  result.segment.assign(scores.length(), shape.cells(), 0);
  result.overlay.assign(scores.overlay.rows(), shape.labels(), 0);
  result.transition.assign(shape.labels(), shape.labels(), 0);

  long double best = -std::numeric_limits<long double>::infinity();
  for_each_segmentation(scores, [&](const std::vector<Segment>& segments, long double s) {
    if (!(s > best)) return;
    best = s;
    result.best = segments;
    result.best_score = static_cast<double>(s);
  });
  long double total = 0;  // relative to the best, so that exp cannot overflow
  for_each_segmentation(
      scores, [&](const std::vector<Segment>&, long double s) { total += std::exp(s - best); });
  if (total > 0) result.log_partition = static_cast<double>(best + std::log(total));
  for_each_segmentation(scores, [&](const std::vector<Segment>& segments, long double s) {
    const double p = static_cast<double>(std::exp(s - best) / total);
    for (std::size_t k = 0; k < segments.size(); ++k) {
      const auto& [begin, end, y] = segments[k];
      const std::size_t cell = shape.cell(y, end - begin);
      result.segment(begin, cell) += p;
      if (k == 0) continue;
      const Label before = segments[k - 1].label;
      result.transition(before, y) += p;
      const std::size_t overlay = overlay_at(scores, begin, cell);
      if (overlay != kNoSegmentOverlay) result.overlay(overlay, before) += p;
    }
  });
  return result;
}

}  // namespace croft::testing_support

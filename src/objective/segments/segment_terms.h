// The scores that a segmentation uses, one by one, and derivatives at them.  Internal.
#pragma once
#include <algorithm>
#include <span>

#include "croft/structure/segments.h"
#include "inference/segments/segment_overlays.h"
#include "structure/copy_scores.h"

namespace croft {

// segment(t, cell), edge(i, j) and overlay(k, i) for each score of (SM.1) that `segments` uses.
// False, at once, where a segment is longer than its label allows.
template <class Real, class OnSegment, class OnEdge, class OnOverlay>
bool for_each_term(const SegmentScores<Real>& scores, std::span<const Segment> segments,
                   const OnSegment& segment, const OnEdge& edge, const OnOverlay& overlay) {
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const auto& [begin, end, y] = segments[k];
    if (end - begin > scores.shape->longest(y)) return false;
    const std::size_t cell = scores.shape->cell(y, end - begin);
    segment(begin, cell);
    if (k == 0) continue;
    const Label before = segments[k - 1].label;
    edge(before, y);
    const std::size_t at = overlay_at(scores, begin, cell);
    if (at != kNoSegmentOverlay) overlay(at, before);
  }
  return true;
}

// value(score) of each; false where a segment is too long.
template <class Real, class Value>
bool for_each_score(const SegmentScores<Real>& scores, std::span<const Segment> segments,
                    const Value& value) {
  return for_each_term(
      scores, segments,
      [&](std::size_t t, std::size_t cell) { value(double{scores.segment(t, cell)}); },
      [&](Label i, Label j) { value(double{scores.transitions->at(i, j)}); },
      [&](std::size_t k, Label i) { value(double{scores.overlay(k, i)}); });
}

// out += weight 1[segments].
template <class Real>
void add_segmentation(const SegmentScores<Real>& scores, std::span<const Segment> segments,
                      double weight, const SegmentGradient<Real>& out) {
  const Real one = static_cast<Real>(weight);
  for_each_term(
      scores, segments,
      [&](std::size_t t, std::size_t cell) {
        out.segment[t * scores.segment.stride() + cell] += one;
      },
      [&](Label i, Label j) {
        if (out.transition != nullptr) out.transition[i * scores.labels() + j] += weight;
      },
      [&](std::size_t k, Label i) {
        if (out.overlay != nullptr) out.overlay[k * scores.overlay.stride() + i] += one;
      });
}

template <class Real>
void clear(const SegmentScores<Real>& scores, const SegmentGradient<Real>& out) {
  std::fill_n(out.segment, scores.length() * scores.segment.stride(), Real{0});
  if (out.overlay == nullptr) return;
  std::fill_n(out.overlay, scores.overlay.rows() * scores.overlay.stride(), Real{0});
}

}  // namespace croft

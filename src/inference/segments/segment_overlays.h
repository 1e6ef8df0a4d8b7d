// Overlays of segment scores, walked from begin to begin.  Internal.
#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>

#include "croft/structure/segments.h"

namespace croft {

// The overlays of segments that begin at t: indices [first, last).
template <class Real>
std::pair<std::size_t, std::size_t> overlays_at(const SegmentScores<Real>& scores, std::size_t t) {
  const auto& of = scores.overlay_of;
  if (of.empty()) return {0, 0};
  const auto before = [](const auto& overlay, std::size_t begin) { return overlay.begin < begin; };
  const auto first = std::lower_bound(of.begin(), of.end(), t, before);
  const auto last = std::lower_bound(first, of.end(), t + 1, before);
  return {static_cast<std::size_t>(first - of.begin()),
          static_cast<std::size_t>(last - of.begin())};
}

inline constexpr std::size_t kNoSegmentOverlay = static_cast<std::size_t>(-1);

// The overlay of one segment, or kNoSegmentOverlay.
template <class Real>
std::size_t overlay_at(const SegmentScores<Real>& scores, std::size_t t, std::size_t cell) {
  auto [first, last] = overlays_at(scores, t);
  for (; first < last; ++first) {
    if (scores.overlay_of[first].cell == cell) return first;
  }
  return kNoSegmentOverlay;
}

// The label of a cell.
inline Label label_of_cell(const SegmentShape& shape, std::size_t cell) {
  const auto after = std::upper_bound(shape.first.begin(), shape.first.end(), cell);
  return static_cast<Label>(after - shape.first.begin() - 1);
}

}  // namespace croft

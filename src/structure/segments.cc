#include "croft/structure/segments.h"

#include <algorithm>
#include <cassert>

#include "croft/core/compensated_sum.h"

namespace croft {

SegmentShape::SegmentShape(std::span<const std::uint32_t> longest) {
  for (const std::uint32_t length : longest) {
    assert(length >= 1);
    first.push_back(first.back() + length);
  }
}

std::size_t SegmentShape::longest() const {
  std::size_t most = 0;
  for (Label y = 0; y < labels(); ++y) most = std::max(most, longest(y));
  return most;
}

template <class Real>
void SegmentScores<Real>::reset(const SegmentShape& cells, std::size_t length,
                                const TransitionScores<Real>& tied) {
  shape = &cells;
  transitions = &tied;
  segment.reshape(length, cells.cells());
  for (std::size_t t = 0; t < length; ++t) {
    Real* row = segment.row(t);
    std::fill(row, row + cells.cells(), Real{0});
    std::fill(row + cells.cells(), row + segment.stride(), kForbidden);
    for (Label y = 0; y < cells.labels(); ++y) {
      const std::size_t fitting = std::min(cells.longest(y), length - t);
      std::fill(row + cells.first[y] + fitting, row + cells.first[y + 1], kForbidden);
    }
  }
  overlay_of.clear();
  overlay.reshape(0, cells.labels());
}

template <class Real>
double score(const SegmentScores<Real>& scores, std::span<const Segment> segments) {
  CompensatedSum sum;
  std::size_t next = 0;  // overlay
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const auto& [begin, end, y] = segments[k];
    const std::size_t length = end - begin;
    if (length > scores.shape->longest(y)) return -std::numeric_limits<double>::infinity();
    const std::size_t cell = scores.shape->cell(y, length);
    sum.add(scores.segment(begin, cell));
    if (k == 0) continue;
    sum.add(scores.transitions->at(segments[k - 1].label, y));
    const auto& overlays = scores.overlay_of;
    while (next < overlays.size() && overlays[next].begin < begin) ++next;
    while (next < overlays.size() && overlays[next].begin == begin && overlays[next].cell < cell) {
      ++next;
    }
    if (next < overlays.size() && overlays[next].begin == begin && overlays[next].cell == cell) {
      sum.add(scores.overlay(next, segments[k - 1].label));
    }
  }
  return sum.value();
}

template struct SegmentScores<float>;
template struct SegmentScores<double>;
template double score(const SegmentScores<float>&, std::span<const Segment>);
template double score(const SegmentScores<double>&, std::span<const Segment>);

}  // namespace croft

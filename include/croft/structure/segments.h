// A segmentation: a sequence cut into segments, each with a label, and a table of their log-scores
// theta.
//
//   score(s) = sum_k segment(s_k; cell(y_k, d_k)) + sum_{k>=1} pair(k)                     (SM.1)
//   pair(k) = transitions[y_{k-1}][y_k], plus what an overlay has for segment k and y_{k-1}
//
// Segment k has the positions [s_k, s_k + d_k) and the label y_k, and s_{k+1} = s_k + d_k.  A label
// has a longest segment of its own, so that a row of the table has as many cells as there are
// labels and lengths together.  -inf forbids; NaN and +inf are bugs of the caller.
// docs/math/segments.md section 1.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/structure/transitions.h"

namespace croft {

// Labels, each with the length of its longest segment.  A cell is a label with a length.
struct SegmentShape {
  std::vector<std::uint32_t> first{0};  // [L + 1] the cell of label y with length 1; increasing

  SegmentShape() = default;
  explicit SegmentShape(std::span<const std::uint32_t> longest);  // [L], each >= 1

  std::size_t labels() const { return first.size() - 1; }
  std::size_t cells() const { return first.back(); }
  std::size_t longest(Label y) const { return first[y + 1] - first[y]; }
  std::size_t cell(Label y, std::size_t length) const { return first[y] + length - 1; }
  std::size_t longest() const;  // of any label
};

// A segment of a sequence: positions [begin, end).
struct Segment {
  std::size_t begin, end;
  Label label;
  bool operator==(const Segment&) const = default;
};

// theta of one sequence.  Buffers are reused: reset() keeps their storage.
template <class Real>
struct SegmentScores {
  static constexpr Real kForbidden = -std::numeric_limits<Real>::infinity();

  const SegmentShape* shape = nullptr;  // shared, not owned
  Matrix<Real>
      segment;  // [T][cells] of the segment that begins at t; -inf where it would end behind T
  const TransitionScores<Real>* transitions = nullptr;  // [L][L] dense, between neighbours; shared
  // f(y', y, segment): an addition by the label before, for some segments; sorted by (begin, cell).
  struct Overlay {
    std::uint32_t begin, cell;  // begin >= 1
  };
  std::vector<Overlay> overlay_of;  // row k of `overlay` belongs to it
  Matrix<Real> overlay;             // [overlays][L] by the label before

  std::size_t length() const { return segment.rows(); }
  std::size_t labels() const { return shape->labels(); }
  // T x cells of 0, and -inf where a segment would not end in time; no overlays.
  void reset(const SegmentShape& cells, std::size_t length, const TransitionScores<Real>& tied);
};

// d/dtheta, entry by entry; memory belongs to the caller.
template <class Real>
struct SegmentGradient {
  Real* segment = nullptr;  // [T][stride of scores.segment], overwritten
  Real* overlay =
      nullptr;  // [overlays][stride of scores.overlay], overwritten; may be null if none
  double* transition = nullptr;  // [L * L], added to: tied over positions and sequences
};

// (SM.1), summed without loss of digits.  Requires that the segments follow each other from 0 to T.
template <class Real>
double score(const SegmentScores<Real>& scores, std::span<const Segment> segments);

}  // namespace croft

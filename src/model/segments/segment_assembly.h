// From scores of positions and of rows to those of segments (SM.30), and its transpose.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "croft/structure/segment_labels.h"
#include "croft/structure/segments.h"
#include "model/segments/segment_features.h"

namespace croft {

// What is known of the rows of a sequence.
template <class Real>
struct SegmentRowScores {
  std::span<const SegmentRow> row;  // [R] by reach, begin, length
  const Real* node = nullptr;       // [R][stride], of labels of segments
  std::size_t stride = 0;
  // [R] f(y', y, segment): the L rows [L][pair_stride] by the label before, or nullptr; empty: none
  std::span<const Real* const> pair = {};
  std::size_t pair_stride = 0;
};

// The same of derivatives: written, not added to.
template <class Real>
struct SegmentRowGradient {
  Real* node = nullptr;              // [R][stride]
  std::span<Real* const> pair = {};  // as above
};

// One a thread: scratch.
template <class Real>
class SegmentAssembly {
 public:
  // Kept by reference.
  SegmentAssembly(const SegmentLabels& labels, const SegmentShape& shape)
      : labels_(&labels), shape_(&shape) {}

  // theta.
  //   position : [T][stride] of column labels; -inf forbids
  // Cost O(T cells), and that of the rows.
  void assemble(std::size_t length, const Real* position, std::size_t stride,
                const SegmentRowScores<Real>& rows, const TransitionScores<Real>& tied,
                SegmentScores<Real>& out);

  // From dL/dtheta of what assemble() made.
  //   d_segment  : [T][scores.segment.stride()]
  //   d_overlay  : [overlays][scores.overlay.stride()]
  //   d_position : [T][stride] overwritten
  void spread(const SegmentScores<Real>& scores, const Real* d_segment, const Real* d_overlay,
              const SegmentRowScores<Real>& rows, Real* d_position, std::size_t stride,
              const SegmentRowGradient<Real>& d_rows);

 private:
  void add_positions(const Real* position, std::size_t stride, SegmentScores<Real>& out) const;
  void add_rows(const SegmentRowScores<Real>& rows, SegmentScores<Real>& out);
  void add_pairs(const SegmentRowScores<Real>& rows, SegmentScores<Real>& out);
  template <class Visit>
  void for_each_pair(const SegmentRowScores<Real>& rows, std::size_t length,
                     const Visit& visit) const;

  const SegmentLabels* labels_;
  const SegmentShape* shape_;
  std::vector<Real> by_cell_;          // [cells]
  std::vector<Real> end_, begin_;      // [T][L]
  std::vector<std::uint32_t> number_;  // [T][cells] of the overlay
};

}  // namespace croft

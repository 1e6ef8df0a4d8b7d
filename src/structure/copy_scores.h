// Tables of scores: copies in either precision, which are changed before they are summed over, and
// their sums.
#pragma once
#include <algorithm>

#include "croft/structure/chain.h"
#include "croft/structure/segments.h"

namespace croft {

template <class From, class To>
void copy_rows(const Matrix<From>& from, Matrix<To>& to) {
  to.reshape(from.rows(), from.columns());
  std::copy_n(from.row(0), from.rows() * from.stride(), to.row(0));
}

template <class Real>
void add_to(const Matrix<Real>& table, Real* out) {
  const Real* from = table.row(0);
  for (std::size_t k = 0; k < table.rows() * table.stride(); ++k) out[k] += from[k];
}

// The state and overlay scores of `from`, in the storage that `to` has.  Its transitions are left
// as they are: they belong to someone else.
template <class From, class To>
void copy_tables(const ChainScores<From>& from, ChainScores<To>& to) {
  to.overlay_of = from.overlay_of;
  copy_rows(from.state, to.state);
  copy_rows(from.overlay, to.overlay);
}

// The scores of `from`, in the storage that `to` has.  Its transitions are left as they are: they
// belong to someone else.
template <class From, class To>
void copy_tables(const SegmentScores<From>& from, SegmentScores<To>& to) {
  to.shape = from.shape;
  copy_rows(from.segment, to.segment);
  copy_rows(from.overlay, to.overlay);
  to.overlay_of.clear();
  for (const auto& [begin, cell] : from.overlay_of) to.overlay_of.push_back({begin, cell});
}

}  // namespace croft

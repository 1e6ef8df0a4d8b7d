// Segment scores that are changed before they are summed over: a copy, in either precision.
#pragma once

#include "croft/structure/segments.h"
#include "structure/copy_scores.h"

namespace croft {

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

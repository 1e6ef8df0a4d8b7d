// The lengths of segments that partial labels need.  Internal to train/.
#pragma once
#include <cstddef>
#include <vector>

#include "croft/structure/gold.h"
#include "croft/structure/segment_labels.h"

namespace croft {

// Raises longest[y] as far as one segmentation that fits what is known of a sequence needs it: of
// those in which the fewest segments of two or more positions begin where nothing is known (B-X, ?,
// I-X is one segment), the one that goes beyond `longest` by the fewest positions in all, the first
// of these.  Nothing changes where none fits.
//   fixed   : [L] labels whose longest segment was asked for, and is not raised
//   longest : [L]
// Cost O(T (sum of lengths + L)), where lengths are `longest` or, if these do not do, as far as
// what is known allows.
void raise_longest(const SegmentLabels& labels, const Gold& gold, const std::vector<bool>& fixed,
                   std::vector<std::size_t>& longest);

}  // namespace croft

// Sequences of about equal length, to be summed over together, one in each SIMD lane.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace croft {

struct LengthGroups {
  std::vector<std::uint32_t> order;     // the sequences, longest first
  std::vector<std::uint32_t> begin{0};  // [groups + 1] into order

  std::size_t size() const { return begin.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t group) const {
    return std::span(order).subspan(begin[group], begin[group + 1] - begin[group]);
  }
};

// Groups of at most kChainLanes sequences; depends on nothing but the arguments.
//   length         : [sequences] positions; equal ones keep their order
//   least_fill     : in [0, 1]; the part of a group's padded area (its longest length times its
//                    sequences) that must be in use.  The longest sequence of a group that would
//                    fall short goes alone.
//   position_bytes : of a row of scores.  A sequence so long that its table would be too large
//   times
//                    the lanes has fewer companions, or none.
LengthGroups group_by_length(std::span<const std::uint32_t> length, double least_fill,
                             std::size_t position_bytes);

}  // namespace croft

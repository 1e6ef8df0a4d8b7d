// The data of a chain cut into waves, whose derivatives fit a cache-sized buffer; a wave into
// groups of sequences of about equal length, some of which make a task.  No cut depends on the
// number of threads.  Nor does that into waves depend on anything but the sequences' lengths and
// the number of labels: a wave is what one process adds up by itself (croft/core/ranks.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "croft/core/ranks.h"
#include "features/chain_data.h"
#include "model/linear_scorer.h"

namespace croft {

// Sequences of about equal length, to be summed over together, one in each SIMD lane.
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

struct Wave {
  std::uint64_t first_position = 0;
  std::size_t first_sequence = 0;
  std::vector<std::uint32_t> length;         // of each sequence
  std::vector<std::uint32_t> first_overlay;  // of each sequence, in the wave's buffer
  Postings node, edge;
  LengthGroups groups;                 // of sequences, counted from first_sequence
  std::vector<std::uint32_t> task{0};  // [tasks + 1] into groups

  void group(double least_fill, std::size_t position_bytes);  // as group_by_length()
};

// A wave is full with so many positions, or more where its last sequence goes on.
//   edges : the data has attributes of edges
std::size_t wave_positions(std::size_t labels, bool edges);
// Where waves begin: sequences [cut[k], cut[k + 1]) are one, full but for the last.
//   sequence_begin : [N + 1] into positions
std::vector<std::size_t> wave_cuts(std::span<const std::uint64_t> sequence_begin,
                                   std::size_t labels, bool edges);

// What each wave can add to a sum where |dL/dtheta| of a position is at most the weight of its
// sequence, as of most objectives, times the largest value of any attribute; of all processes, with
// a little more for rounding (core/exact_sum.h).  Infinite where there is one wave, and where
// values are above 256, beside which the unit would be too large for small ones: one process then
// sums as it goes.  Throws UsageError where several processes have waves with such values.
struct WaveLimits {
  std::vector<double> of_wave;
  double all = 0;  // those of all processes together; > 0
  static WaveLimits none(std::size_t waves);
};
WaveLimits wave_limits(const ChainData& data, std::span<const std::size_t> cuts, Ranks& ranks);

struct Waves {
  std::vector<Wave> list;
  std::size_t most_positions = 0, most_overlays = 0;  // of a wave
  std::vector<std::size_t> cuts;                      // [all waves + 1] sequences
  std::size_t first = 0;  // of `list` among all: the others are those of helpers
};
// Without groups.
//   node_rows, edge_rows : attributes; without any of edges, these are not looked at
//   helpers              : processes with the same data, among which waves are shared out in order
Waves cut_waves(const ChainData& data, std::size_t labels, std::size_t node_rows,
                std::size_t edge_rows, Ranks& helpers = no_other_ranks());

}  // namespace croft

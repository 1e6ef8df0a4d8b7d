// The data of a chain cut into waves, whose derivatives fit a cache-sized buffer; a wave into
// groups of sequences of about equal length, some of which make a task.  No cut depends on the
// number of threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/chain_data.h"
#include "model/linear_scorer.h"
#include "train/functions/length_groups.h"

namespace croft {

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

struct Waves {
  std::vector<Wave> list;
  std::size_t most_positions = 0, most_overlays = 0;  // of a wave
};
// Without groups.
//   node_rows, edge_rows       : attributes; without any of edges, these are not looked at
//   state_bytes, overlay_bytes : of the derivatives of a position, and of an edge with attributes
Waves cut_waves(const ChainData& data, std::size_t node_rows, std::size_t edge_rows,
                std::size_t state_bytes, std::size_t overlay_bytes);

}  // namespace croft

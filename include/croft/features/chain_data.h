// Sequences as numbers: what training works on.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "croft/data/text_sequence.h"
#include "croft/features/vocabulary.h"
#include "croft/structure/chain.h"

namespace croft {

// For each position a list of attributes with values.
struct AttributeLists {
  std::vector<std::uint64_t> begin{0};  // [positions + 1] into id
  std::vector<std::uint32_t> id;
  std::vector<double> value;  // parallel to id; empty while all values are 1

  std::size_t positions() const { return begin.size() - 1; }
};

// N sequences end to end, P positions in all.
struct ChainData {
  std::vector<std::uint64_t> sequence_begin{0};  // [N + 1] into positions
  std::vector<Label> label;                      // [P]
  AttributeLists node;                           // [P]
  AttributeLists edge;    // [P], of the edge (t-1, t), empty at t = 0; no positions at all: none
  std::vector<double> weight;                    // [N]; empty while all are 1
  std::vector<std::uint32_t> first_line;         // [N] in the input, for messages

  std::size_t sequences() const { return sequence_begin.size() - 1; }
  std::size_t positions() const { return label.size(); }
  double sequence_weight(std::size_t n) const { return weight.empty() ? 1.0 : weight[n]; }
  bool has_edges() const { return edge.positions() > 0; }
};

// Numbers the strings of sequences as they come.
class ChainEncoder {
 public:
  // Appends a labelled sequence.  Sequences of length 0 are ignored.  Throws Error when there are more
  // than 2^32 - 2 positions or attributes.
  void add(const TextSequence& sequence);

  ChainData data;
  StringTable node_names, edge_names, label_names;  // ids in order of first appearance

 private:
  void encode(const StringLists& lists, StringTable& names, AttributeLists& out);
  std::vector<std::uint64_t> hashes_;
};

}  // namespace croft

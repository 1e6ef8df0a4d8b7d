// Sequences as numbers: what training works on.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/error.h"
#include "croft/data/text_sequence.h"
#include "croft/structure/gold.h"
#include "features/vocabulary.h"

namespace croft {

// For each position a list of attributes with values.
struct AttributeLists {
  std::vector<std::uint64_t> begin{0};  // [positions + 1] into id
  std::vector<std::uint32_t> id;
  std::vector<double> value;  // parallel to id; empty while all values are 1

  std::size_t positions() const { return begin.size() - 1; }
  // The lists [first, last) of others.
  void append(const AttributeLists& from, std::uint64_t first, std::uint64_t last);
};

// N sequences end to end, P positions in all.
struct ChainData {
  std::vector<std::uint64_t> sequence_begin{0};  // [N + 1] into positions
  std::vector<Label> label;                      // [P] what is known of it (structure/gold.h)
  LabelSets label_sets;                          // where `label` names sets
  AttributeLists node;                           // [P]
  AttributeLists edge;  // [P], of the edge (t-1, t), empty at t = 0; no positions at all: none
  std::vector<double> weight;             // [N]; empty while all are 1
  std::vector<std::uint32_t> first_line;  // [N] in the input, for messages

  std::size_t sequences() const { return sequence_begin.size() - 1; }
  std::size_t positions() const { return label.size(); }
  double sequence_weight(std::size_t n) const { return weight.empty() ? 1.0 : weight[n]; }
  bool has_edges() const { return edge.positions() > 0; }
  Gold gold(std::size_t n) const {
    return {std::span(label).subspan(sequence_begin[n], sequence_begin[n + 1] - sequence_begin[n]),
            &label_sets};
  }
  // The labels that position p is known to have one of: what "observed" means for features.  None
  // where any label fits: such a position shows no feature.
  std::span<const Label> known_labels(std::uint64_t p) const {
    return label_sets.labels_of(label[p]);
  }
  // Sequence n of others with these label sets; or all of them.
  void append(const ChainData& from, std::size_t n);
  void append(const ChainData& from);
  // The sequences from n on, which are gone from here.
  ChainData split_off(std::size_t n);
};

// How a label of the input says that it is not fully known.
struct PartialLabels {
  char separator = '|';   // "A|B" is one of A and B
  std::string any = "?";  // an item that is this says nothing
};

// The labels that an item names, in its order; none where it says nothing.  Views into `item`.
// Throws InputError for a set of labels with an empty label, or with the marker that stands for
// any.
std::vector<std::string_view> labels_in(std::string_view item, const PartialLabels& how,
                                        const Location& where);

// Numbers the strings of sequences as they come.
class ChainEncoder {
 public:
  // Appends a labelled sequence; with `partial` also an unlabelled one, of which nothing is known.
  // Sequences of length 0 are ignored.  `file` is for messages.  Throws Error when there are more
  // than 2^32 - 2 positions or attributes, InputError (file, line) for a set of labels with an
  // empty label, with one label twice, or with the marker that stands for any.
  void add(const TextSequence& sequence, std::string_view file = {});

  // The same of each position as a sequence of its own, without its edges.
  void add_positions(const TextSequence& sequence, std::string_view file = {});

  std::optional<PartialLabels> partial;  // without it each item is one label, whatever its bytes
  ChainData data;
  StringTable node_names, edge_names, label_names;  // ids in order of first appearance

 private:
  void encode(const StringLists& lists, StringTable& names, AttributeLists& out);
  void encode_labels(const TextSequence& sequence, std::string_view file);
  Label known_label(std::string_view item, const Location& where);
  std::vector<std::uint64_t> hashes_;  // scratch
  std::vector<Label> known_;           // scratch
  std::map<std::vector<Label>, Label> set_number_;
};

}  // namespace croft

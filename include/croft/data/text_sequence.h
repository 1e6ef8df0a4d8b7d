// One sequence as text.  Readers and feature extraction hand it on before strings become numbers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "croft/data/string_lists.h"

namespace croft {

// T positions.  Strings are bytes, UTF-8 by convention.
struct TextSequence {
  StringLists node;    // T lists: attributes of position t
  StringLists edge;    // T lists (list 0 is empty), or none at all: attributes of the edge (t-1, t)
  StringLists labels;  // one list of T labels, or empty when the data has none
  double weight = 1;   // of this sequence in the objective, > 0
  bool weight_given = false;   // the input says so
  std::size_t first_line = 0;  // in the input, for messages; 0: it is in no file
  // [T] the lines of the positions; empty: they follow each other from the first on.
  std::vector<std::uint32_t> lines;

  std::size_t line_of(std::size_t t) const {
    return first_line == 0 ? 0 : lines.empty() ? first_line + t : lines[t];
  }
  std::size_t length() const { return node.lists(); }
  bool has_labels() const { return labels.lists() > 0; }
  void archive(StateArchive& state) {
    state(node, edge, labels, weight, weight_given, first_line, lines);
  }
  void clear() {
    node.clear();
    edge.clear();
    labels.clear();
    weight = 1;
    weight_given = false;
    first_line = 0;
    lines.clear();
  }
};

}  // namespace croft

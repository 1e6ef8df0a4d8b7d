// Random labelled sequences for tests: in a plain form for naive code, and as the library has them.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "croft/core/random.h"
#include "features/chain_data.h"

namespace croft::testing_support {

struct Occurrence {
  std::uint32_t attribute;
  double value;
  bool operator==(const Occurrence&) const = default;
};

struct PlainSequence {
  std::vector<Label> label;                         // [T]
  std::vector<std::vector<Occurrence>> node, edge;  // [T] each; edge[0] is empty
  double weight = 1;
};
using PlainData = std::vector<PlainSequence>;

struct DataShape {
  std::size_t sequences = 12;
  std::size_t min_length = 1, max_length = 4;
  std::size_t labels = 3;
  std::size_t node_attributes = 15, edge_attributes = 6;
  double edge = 0.5;    // probability that an edge has attributes; 0: no edge lists at all
  bool values = true;   // real values, many of them negative; false: all 1
  bool weights = true;  // of the sequences
};

inline double random_value(Random& random) {
  const std::uint64_t kind = random.below(4);
  return kind == 0 ? 1.0 : kind == 1 ? -1.0 : random.normal();
}

// Low ids are frequent and high ids rare, so that the rows of a layout have many lengths.
// One list in five is empty; one attribute in five comes again in its list.
inline std::vector<Occurrence> random_list(std::size_t attributes, bool values, Random& random) {
  std::vector<Occurrence> list;
  const std::size_t count = random.below(5);
  for (std::size_t k = 0; k < count; ++k) {
    const double u = random.uniform();
    auto attribute = static_cast<std::uint32_t>(u * u * static_cast<double>(attributes));
    if (k > 0 && random.below(5) == 0) attribute = list[random.below(k)].attribute;
    list.push_back({attribute, values ? random_value(random) : 1.0});
  }
  return list;
}

inline PlainData random_plain_data(const DataShape& shape, Random& random) {
  PlainData data(shape.sequences);
  for (PlainSequence& sequence : data) {
    const std::size_t length =
        shape.min_length + random.below(shape.max_length - shape.min_length + 1);
    for (std::size_t t = 0; t < length; ++t) {
      sequence.label.push_back(static_cast<Label>(random.below(shape.labels)));
      sequence.node.push_back(random_list(shape.node_attributes, shape.values, random));
      sequence.edge.emplace_back();
      if (t > 0 && random.uniform() < shape.edge) {
        sequence.edge.back() = random_list(shape.edge_attributes, shape.values, random);
      }
    }
    if (shape.weights) sequence.weight = 0.25 + 2 * random.uniform();
  }
  return data;
}

inline void append_list(const std::vector<Occurrence>& list, AttributeLists& out) {
  for (const Occurrence& each : list) {
    out.id.push_back(each.attribute);
    out.value.push_back(each.value);
  }
  out.begin.push_back(out.id.size());
}

inline void drop_values_of_one(AttributeLists& lists) {
  if (std::ranges::all_of(lists.value, [](double v) { return v == 1; })) lists.value.clear();
}

// Attributes and labels keep their numbers.
inline ChainData to_chain_data(const PlainData& plain) {
  ChainData data;
  bool edges = false, weights = false;
  for (const PlainSequence& sequence : plain) {
    weights = weights || sequence.weight != 1;
    for (const auto& list : sequence.edge) edges = edges || !list.empty();
  }
  for (const PlainSequence& sequence : plain) {
    for (std::size_t t = 0; t < sequence.label.size(); ++t) {
      append_list(sequence.node[t], data.node);
      if (edges) append_list(sequence.edge[t], data.edge);
    }
    data.label.insert(data.label.end(), sequence.label.begin(), sequence.label.end());
    data.sequence_begin.push_back(data.label.size());
    if (weights) data.weight.push_back(sequence.weight);
    data.first_line.push_back(0);
  }
  drop_values_of_one(data.node);
  drop_values_of_one(data.edge);
  return data;
}

// Node attribute 7 is named "n7", edge attribute 7 "e7", label 7 "y7".
inline std::string node_name(std::uint32_t a) { return "n" + std::to_string(a); }
inline std::string edge_name(std::uint32_t b) { return "e" + std::to_string(b); }
inline std::string label_name(Label j) { return "y" + std::to_string(j); }

inline TextSequence to_text(const PlainSequence& plain) {
  TextSequence text;
  bool edges = false;
  for (const auto& list : plain.edge) edges = edges || !list.empty();
  for (std::size_t t = 0; t < plain.label.size(); ++t) {
    for (const Occurrence& each : plain.node[t]) {
      text.node.append(node_name(each.attribute), each.value);
    }
    text.node.end_list();
    text.labels.append(label_name(plain.label[t]));
    if (!edges) continue;
    for (const Occurrence& each : plain.edge[t]) {
      text.edge.append(edge_name(each.attribute), each.value);
    }
    text.edge.end_list();
  }
  text.labels.end_list();
  text.weight = plain.weight;
  return text;
}

inline void append_slice(const AttributeLists& from, std::uint64_t first, std::uint64_t last,
                         AttributeLists& to) {
  for (std::uint64_t p = first; p < last; ++p) {
    for (std::uint64_t k = from.begin[p]; k < from.begin[p + 1]; ++k) {
      to.id.push_back(from.id[k]);
      if (!from.value.empty()) to.value.push_back(from.value[k]);
    }
    to.begin.push_back(to.id.size());
  }
}

// Sequence n alone, with the attribute ids that it has in `data`.
inline ChainData one_sequence(const ChainData& data, std::size_t n) {
  const std::uint64_t first = data.sequence_begin[n], last = data.sequence_begin[n + 1];
  ChainData one;
  one.sequence_begin.push_back(last - first);
  for (std::uint64_t p = first; p < last; ++p) one.label.push_back(data.label[p]);
  append_slice(data.node, first, last, one.node);
  if (data.has_edges()) append_slice(data.edge, first, last, one.edge);
  one.weight.push_back(data.sequence_weight(n));
  one.first_line.push_back(0);
  return one;
}

}  // namespace croft::testing_support

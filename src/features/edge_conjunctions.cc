#include "features/edge_conjunctions.h"

#include <algorithm>
#include <utility>

namespace croft {
namespace {

// As Conjunction::name() makes them; parse_boundary_name() and parse_cell_name() read no such name.
constexpr std::string_view kPrefix{"\x01 & ", 4};

void append_list(const StringLists& from, std::size_t list, StringLists& to) {
  for (std::size_t k = from.list_begin(list); k < from.list_end(list); ++k) {
    to.append(from.item(k), from.value(k));
  }
}

}  // namespace

bool is_of_edge(const Conjunction& conjunction) { return conjunction.parts.front() == kEdgePart; }

Conjunction edge_conjunction(std::vector<std::string> parts) {
  parts.emplace_back(kEdgePart);
  std::ranges::sort(parts);
  return {std::move(parts)};
}

std::string edge_name(const Conjunction& conjunction) {
  return conjunction.name().substr(kPrefix.size());
}

bool has_edge_conjunctions(const TextSequence& sequence) {
  for (std::size_t k = 0; k < sequence.node.items(); ++k) {
    if (sequence.node.item(k).starts_with(kPrefix)) return true;
  }
  return false;
}

void take_edge_conjunctions(TextSequence& sequence) {
  StringLists node, edge;
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    if (sequence.edge.lists() > 0) append_list(sequence.edge, t, edge);
    for (std::size_t k = sequence.node.list_begin(t); k < sequence.node.list_end(t); ++k) {
      const std::string_view item = sequence.node.item(k);
      if (!item.starts_with(kPrefix)) {
        node.append(item, sequence.node.value(k));
      } else if (t > 0) {
        edge.append(item.substr(kPrefix.size()), sequence.node.value(k));
      }
    }
    node.end_list();
    edge.end_list();
  }
  sequence.node = std::move(node);
  sequence.edge = std::move(edge);
}

}  // namespace croft

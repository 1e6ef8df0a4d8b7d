#include "model/chain_sections.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "croft/core/error.h"
#include "model/file/container.h"
#include "model/rows/weight_rows.h"

namespace croft {

namespace {

// Visits the bits of a constraint in the order of the file.
template <class Constraint, class Visit>
void for_each_bit(Constraint& constraint, const Visit& visit) {
  for (auto* bits : {&constraint.start, &constraint.end, &constraint.edge}) {
    for (std::size_t k = 0; k < bits->size(); ++k) visit((*bits)[k]);
  }
}

std::size_t constraint_bytes(std::size_t labels) { return (labels * (labels + 2) + 7) / 8; }

}  // namespace

void write_constraint(const ChainConstraint& constraint, ContainerWriter& out) {
  std::vector<std::byte> bytes(constraint_bytes(constraint.labels));
  std::size_t k = 0;
  for_each_bit(constraint, [&](bool allowed) {
    if (allowed) bytes[k / 8] |= std::byte{1} << (k % 8);
    ++k;
  });
  out.add("constraint", std::move(bytes), ContainerWriter::Kind::required);
}

std::optional<ChainConstraint> read_constraint(const Container& container, std::size_t labels) {
  if (!container.has("constraint")) return std::nullopt;
  const std::span<const std::byte> bytes = container.section("constraint");
  if (bytes.size() != constraint_bytes(labels)) {
    container.fail_section("constraint");
  }
  ChainConstraint constraint(labels);
  std::size_t k = 0;
  for_each_bit(constraint, [&](std::vector<bool>::reference allowed) {
    allowed = (bytes[k / 8] >> (k % 8) & std::byte{1}) != std::byte{0};
    ++k;
  });
  return constraint;
}

std::vector<NamedRow> named_rows(const RowLayout& layout,
                                 const std::vector<std::string_view>& names,
                                 std::span<const double> weights, const std::vector<bool>& keep) {
  std::vector<NamedRow> rows;
  rows.reserve(layout.rows());
  for (std::size_t r = 0; r < layout.rows(); ++r) {
    const std::size_t begin = layout.begin[r] - layout.begin[0];
    NamedRow row{names[r], {}, weights.subspan(layout.begin[r], layout.length(r))};
    row.keep = !keep.empty() && keep[r];
    if (!layout.all_full()) row.cell = std::span(layout.cell).subspan(begin, layout.length(r));
    rows.push_back(row);
  }
  return rows;
}

namespace {

// visit(t, place, value) for every attribute of every position t, in order.  They are looked up in
// pieces: the places of a sequence of millions of positions would take far more than its scores.
template <class Visit>
void for_each_place(const FeatureTable& table, const StringLists& lists,
                    FeatureTable::Scratch& scratch, Visit visit) {
  constexpr std::size_t kPiece = 4096;  // positions
  constexpr std::size_t kAhead = 8;     // rows whose weights are on their way
  for (std::size_t begin = 0; begin < lists.lists(); begin += kPiece) {
    const std::size_t end = std::min(begin + kPiece, lists.lists());
    const std::size_t first = lists.list_begin(begin), last = lists.list_begin(end);
    table.find(lists, first, last, scratch);
    const auto& places = scratch.places;
    for (std::size_t t = begin; t < end; ++t) {
      for (std::size_t k = lists.list_begin(t); k < lists.list_end(t); ++k) {
        if (k + kAhead < last) table.prefetch(places[k + kAhead - first]);
        visit(t, places[k - first], lists.value(k));
      }
    }
  }
}

// Of increasing positions, those of one without a pause: a position has one overlay.
template <class Real>
auto adder_of_edges(const FeatureTable& edge, ChainScores<Real>& out) {
  std::size_t position = 0;  // of the overlay; list 0 has no edges
  Real* overlay = nullptr;
  return [&edge, &out, position, overlay](std::size_t t, CompactOffsets::Row place,
                                          double value) mutable {
    if (place.length == 0 || t == 0) return;
    if (position != t) overlay = out.add_overlay(position = t);
    const std::size_t labels = out.labels(), stride = out.overlay.stride();
    const Real v = static_cast<Real>(value);
    edge.visit<Real>(place, [&](std::uint32_t cell, Real weight) {
      overlay[cell / labels * stride + cell % labels] += v * weight;
    });
  };
}

}  // namespace

template <class Real>
void add_node_scores(const FeatureTable& node, const TextSequence& sequence,
                     FeatureTable::Scratch& scratch, ChainScores<Real>& out) {
  const auto add = [&](std::size_t t, CompactOffsets::Row place, double value) {
    Real* const state = out.state.row(t);
    const Real v = static_cast<Real>(value);
    node.visit<Real>(place, [&](std::uint32_t label, Real weight) { state[label] += v * weight; });
  };
  for_each_place(node, sequence.node, scratch, add);
}

template <class Real>
void add_edge_scores(const FeatureTable& edge, const TextSequence& sequence,
                     FeatureTable::Scratch& scratch, ChainScores<Real>& out) {
  for_each_place(edge, sequence.edge, scratch, adder_of_edges(edge, out));
}

template <class Real>
void add_edge_rows(const FeatureTable& edge, const FoundRows& found, ChainScores<Real>& out) {
  for_each_row(edge, found, adder_of_edges(edge, out));
}

// The limits are measured with bench/label_set_bench, and for Viterbi.
TransitionScores<double> tied_transitions(const Container& container, const FeatureTable& tied,
                                          std::size_t labels, bool overlays) {
  std::vector<std::pair<std::uint32_t, double>> cells;
  for (std::uint32_t id = 0; id < tied.size(); ++id) {
    const WeightRow row = tied.row(id);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (!std::isfinite(row.weight(k)))
        container.fail_section("tied.weights", "one is not finite");
      if (row.cell(k) < labels * labels) cells.emplace_back(row.cell(k), row.weight(k));
    }
  }
  std::ranges::stable_sort(cells, {}, &std::pair<std::uint32_t, double>::first);
  std::vector<Edge> edges;
  std::vector<double> log;
  for (const auto& [cell, weight] : cells) {
    const Edge edge{static_cast<Label>(cell / labels), static_cast<Label>(cell % labels)};
    if (!edges.empty() && edges.back() == edge) {
      log.back() += weight;  // several tied rows add up
    } else {
      edges.push_back(edge);
      log.push_back(weight);
    }
  }
  constexpr std::size_t kManyLabels = 64, kOneIn = 25;
  TransitionScores<double> transitions;
  if (!overlays && labels >= kManyLabels && edges.size() * kOneIn <= labels * labels) {
    transitions.assign(labels, Background::zero, edges, std::span<const double>(log));
  } else {
    Matrix<double> table(labels, labels, 0.0);
    for (std::size_t k = 0; k < edges.size(); ++k) table(edges[k].from, edges[k].to) = log[k];
    transitions.assign(std::move(table));
  }
  return transitions;
}

#define CROFT_INSTANTIATE(Real)                                                                   \
  template void add_node_scores(const FeatureTable&, const TextSequence&, FeatureTable::Scratch&, \
                                ChainScores<Real>&);                                              \
  template void add_edge_scores(const FeatureTable&, const TextSequence&, FeatureTable::Scratch&, \
                                ChainScores<Real>&);                                              \
  template void add_edge_rows(const FeatureTable&, const FoundRows&, ChainScores<Real>&);
CROFT_INSTANTIATE(float)
CROFT_INSTANTIATE(double)
#undef CROFT_INSTANTIATE

}  // namespace croft

#include "model/kinds/tree_scorer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/infinity.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "model/file/container.h"
#include "model/file/record.h"

namespace croft {
namespace {

using Kind = ContainerWriter::Kind;

constexpr std::size_t kMostRounds = std::size_t{1} << 32;

}  // namespace

TreeScorer::TreeScorer(const Container& container, std::size_t labels, bool spans)
    : names_(open_table<CompactVocabulary>(container, "attributes.names")),
      span_names_(spans ? open_table<CompactVocabulary>(container, "segment.names")
                        : CompactVocabulary()),
      base_(container.numbers<double>("base")) {
  if (base_.size() != labels || !all_finite(base_)) container.fail_section("base");
  try {
    trees_ = TreeEnsemble(container.numbers<TreeRoot>("trees.roots"),
                          container.numbers<TreeNode>("trees.nodes"),
                          container.numbers<float>("trees.values"), attributes(), labels);
  } catch (const Error& error) {
    throw Error(container.name() + ": the trees are damaged (" + error.what() +
                "); restore the file from a copy or train again");
  }
  masks_ = TreeMasks(trees_, attributes());
  pairs_ = trees_.has_pairs() && !spans;
}

void TreeScorer::find(const StringLists& lists, const CompactVocabulary& names,
                      std::vector<std::uint32_t>& ids) {
  constexpr std::size_t kAhead = 8;  // buckets on their way
  ids.resize(lists.items());
  std::array<std::uint64_t, kAhead> hashes;
  for (std::size_t k = 0; k < lists.items() + kAhead; ++k) {
    if (k >= kAhead) ids[k - kAhead] = names.find(lists.item(k - kAhead), hashes[k % kAhead]);
    if (k >= lists.items()) continue;
    hashes[k % kAhead] = hash_string(lists.item(k));
    names.prefetch(hashes[k % kAhead]);
  }
}

struct TreeScorer::Position {
  std::vector<std::pair<std::uint32_t, double>> values;  // of known attributes, each once
  TreeMasks::Left left;
  bool masked = false;  // leaves are found by masks
};

// Fills the position, and scratch.position.
void TreeScorer::look_at(const TextSequence& sequence, std::size_t t,
                         SequenceModel::Scratch& scratch, Position& position) const {
  constexpr std::size_t kPath = 6;  // tests on the way to a leaf, about
  auto& values = position.values;
  values.clear();
  scratch.position.start(attributes());
  std::size_t tests = 0;
  for (std::size_t k = sequence.node.list_begin(t); k < sequence.node.list_end(t); ++k) {
    if (scratch.ids[k] == kUnknown) continue;
    values.emplace_back(scratch.ids[k], sequence.node.value(k));
    scratch.position.add(values.back().first, values.back().second);
    tests += masks_.empty() ? 0 : masks_.tests(values.back().first);
  }
  position.masked = !masks_.empty() && tests <= kPath * trees_.trees();
  if (!position.masked) return;
  std::ranges::stable_sort(values, {}, &std::pair<std::uint32_t, double>::first);
  masks_.start(position.left);
  for (std::size_t k = 0; k < values.size();) {
    const std::uint32_t attribute = values[k].first;
    double value = 0;
    for (; k < values.size() && values[k].first == attribute; ++k) value += values[k].second;
    masks_.see(attribute, value, position.left);
  }
}

// To the states, and to the overlay where there is one: the same sums in either way.
template <class Real>
void TreeScorer::add_trees(const SequenceModel::Scratch& scratch, const Position& position,
                           std::span<double> state, ChainScores<Real>& out, Real* overlay) const {
  const std::size_t labels = base_.size();
  const auto add_pair = [&](std::size_t i, std::size_t j, float value) {
    overlay[i * out.overlay.stride() + j] += static_cast<Real>(value);
  };
  if (!position.masked) {
    trees_.add_states(scratch.position, state);
    if (overlay != nullptr) trees_.visit_pairs(scratch.position, add_pair);
    return;
  }
  const float* const values = trees_.values().data();
  for (std::size_t k = 0; k < trees_.trees(); ++k) {
    const std::uint32_t output = trees_.roots()[k].output;
    const float* const own = values + masks_.leaf(k, position.left);
    if (output < labels) {
      state[output] += double{*own};
    } else if (output == kAllOutputs) {
      for (std::size_t y = 0; y < state.size(); ++y) state[y] += double{own[y]};
    } else if (overlay != nullptr) {
      const std::size_t pair = output - labels;
      add_pair(pair / labels, pair % labels, *own);
    }
  }
}

template <class Real>
void TreeScorer::score(const TextSequence& sequence, SequenceModel::Scratch& scratch,
                       ChainScores<Real>& out) const {
  find(sequence.node, names_, scratch.ids);
  scratch.state.reshape(1, base_.size());
  const std::span<double> state = scratch.state[0];
  Position position;
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    look_at(sequence, t, scratch, position);
    std::ranges::copy(base_, state.begin());
    add_trees(scratch, position, state, out, t > 0 && pairs_ ? out.add_overlay(t) : nullptr);
    for (std::size_t y = 0; y < state.size(); ++y) {
      out.state(t, y) = static_cast<Real>(state[y]);
    }
  }
}
template void TreeScorer::score(const TextSequence&, SequenceModel::Scratch&,
                                ChainScores<float>&) const;
template void TreeScorer::score(const TextSequence&, SequenceModel::Scratch&,
                                ChainScores<double>&) const;

void write_trees(const TreeParts& parts, bool spans, ContainerWriter& out) {
  const TreeArrays& trees = *parts.trees;
  const std::size_t positions = parts.names.size();
  std::vector<std::uint32_t> used;
  for (const TreeNode& node : trees.nodes) used.push_back(node.attribute);
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::vector<std::string_view> names, span_names;
  for (const std::uint32_t attribute : used) {
    if (attribute < positions) {
      names.push_back(parts.names[attribute]);
    } else {
      span_names.push_back(parts.span_names[attribute - positions]);
    }
  }
  CompactVocabulary::Built built = CompactVocabulary::build(names);
  CompactVocabulary::Built of_spans = CompactVocabulary::build(span_names);
  std::vector<TreeNode> nodes = trees.nodes;
  for (TreeNode& node : nodes) {
    const auto at =
        static_cast<std::size_t>(std::ranges::lower_bound(used, node.attribute) - used.begin());
    node.attribute = at < names.size() ? built.id[at]
                                       : static_cast<std::uint32_t>(names.size()) +
                                             of_spans.id[at - names.size()];
  }
  out.add_numbers("base", parts.base, Kind::small);
  if (!parts.transitions.empty()) out.add_numbers("transitions", parts.transitions, Kind::small);
  out.add("attributes.names", std::move(built.image), Kind::bulk);
  if (spans) out.add("segment.names", std::move(of_spans.image), Kind::bulk);
  out.add_numbers("trees.roots", trees.roots, Kind::bulk);
  out.add_numbers("trees.nodes", nodes, Kind::bulk);
  out.add_numbers("trees.values", trees.values, Kind::bulk);
}

Matrix<double> read_tree_transitions(const Container& container, std::size_t labels) {
  const std::span<const double> numbers = container.numbers<double>("transitions");
  if (numbers.size() != labels * labels || !all_finite(numbers)) {
    container.fail_section("transitions");
  }
  Matrix<double> log(labels, labels, -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < labels; ++i) {
    std::ranges::copy(numbers.subspan(i * labels, labels), log.row(i));
  }
  return log;
}

std::size_t read_rounds(const SequenceModel& model) {
  const Record meta(model.container(), "meta", model.meta());
  return meta.at("rounds").whole<std::size_t>(0, kMostRounds);
}

}  // namespace croft

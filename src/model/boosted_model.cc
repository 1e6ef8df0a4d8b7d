#include "croft/model/boosted_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "croft/core/error.h"
#include "model/string_section.h"

namespace croft {
namespace {

using nlohmann::json;
using Kind = ContainerWriter::Kind;

constexpr std::array<std::string_view, 2> kKinds = {kBoostedChain, kBoostedMaxent};

template <class T>
std::span<const T> records(const Container& container, const std::string& section) {
  const std::span<const std::byte> bytes = container.section(section);
  if (bytes.size() % sizeof(T) != 0 ||
      reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(T) != 0) {
    throw Error(container.name() + ": section " + section + std::string(kDamaged));
  }
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

CompactVocabulary open_names(const Container& container) {
  try {
    return CompactVocabulary(container.section("attributes.names"));
  } catch (const Error& error) {
    throw Error(container.name() + ": section \"attributes.names\": " + error.what() +
                "; restore the file from a copy or train again");
  }
}

bool all_finite(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); });
}

}  // namespace

std::shared_ptr<const BoostedModel> BoostedModel::open(const std::filesystem::path& path) {
  return std::make_shared<const BoostedModel>(Container::open(path));
}

BoostedModel::BoostedModel(Container container)
    : SequenceModel(std::move(container), kKinds, {}),
      names_(open_names(container_)),
      base_(container_.numbers<double>("base")) {
  if (labels() == 0) fail_damaged("labels");
  if (base_.size() != labels() || !all_finite(base_)) fail_damaged("base");
  const json& rounds = meta().contains("rounds") ? meta()["rounds"] : json();
  if (!rounds.is_number_unsigned()) fail_damaged("meta");
  rounds_ = rounds.get<std::size_t>();
  try {
    trees_ = TreeEnsemble(records<TreeRoot>(container_, "trees.roots"),
                          records<TreeNode>(container_, "trees.nodes"),
                          container_.numbers<float>("trees.values"), names_.size(), labels());
  } catch (const Error& error) {
    throw Error(container_.name() + ": the trees are damaged (" + error.what() +
                "); restore the file from a copy or train again");
  }
  masks_ = TreeMasks(trees_, names_.size());
  if (labels_are_independent()) {
    if (trees_.has_pairs()) fail_damaged("trees.roots");
    return;
  }
  const std::span<const double> numbers = container_.numbers<double>("transitions");
  if (numbers.size() != labels() * labels() || !all_finite(numbers)) fail_damaged("transitions");
  Matrix<double> log(labels(), labels(), -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < labels(); ++i) {
    std::ranges::copy(numbers.subspan(i * labels(), labels()), log.row(i));
  }
  TransitionScores<double> transitions;
  transitions.assign(std::move(log));
  set_transitions(std::move(transitions));
}

void BoostedModel::find(const TextSequence& sequence, std::vector<std::uint32_t>& ids) const {
  constexpr std::size_t kAhead = 8;  // buckets on their way
  const StringLists& node = sequence.node;
  ids.resize(node.items());
  std::array<std::uint64_t, kAhead> hashes;
  for (std::size_t k = 0; k < node.items() + kAhead; ++k) {
    if (k >= kAhead) ids[k - kAhead] = names_.find(node.item(k - kAhead), hashes[k % kAhead]);
    if (k >= node.items()) continue;
    hashes[k % kAhead] = hash_string(node.item(k));
    names_.prefetch(hashes[k % kAhead]);
  }
}

struct BoostedModel::Position {
  std::vector<std::pair<std::uint32_t, double>> values;  // of known attributes, each once
  TreeMasks::Left left;
  bool masked = false;  // leaves are found by masks
};

// Fills the position, and scratch.position.
void BoostedModel::look_at(const TextSequence& sequence, std::size_t t, Scratch& scratch,
                           Position& position) const {
  constexpr std::size_t kPath = 6;  // tests on the way to a leaf, about
  auto& values = position.values;
  values.clear();
  scratch.position.start(names_.size());
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
void BoostedModel::add_trees(const Scratch& scratch, const Position& position,
                             std::span<double> state, ChainScores<Real>& out, Real* overlay) const {
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
    if (output < labels()) {
      state[output] += double{*own};
    } else if (output == kAllOutputs) {
      for (std::size_t y = 0; y < state.size(); ++y) state[y] += double{own[y]};
    } else if (overlay != nullptr) {
      const std::size_t pair = output - labels();
      add_pair(pair / labels(), pair % labels(), *own);
    }
  }
}

template <class Real>
void BoostedModel::score_in(const TextSequence& sequence, Scratch& scratch,
                            ChainScores<Real>& out) const {
  out.reset(sequence.length(), transitions<Real>());
  find(sequence, scratch.ids);
  scratch.state.reshape(1, labels());
  const std::span<double> state = scratch.state[0];
  Position position;
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    look_at(sequence, t, scratch, position);
    std::ranges::copy(base_, state.begin());
    add_trees(scratch, position, state, out,
              t > 0 && trees_.has_pairs() ? out.add_overlay(t) : nullptr);
    for (std::size_t y = 0; y < state.size(); ++y) {
      out.state(t, y) = static_cast<Real>(state[y]);
      if (std::isfinite(out.state(t, y))) continue;
      throw Error(
          container_.name() + ": the scores of position " + std::to_string(t) +
          " are no finite numbers: the file is damaged, which croft inspect --verify tells");
    }
  }
}

void BoostedModel::score(const TextSequence& sequence, Scratch& scratch,
                         ChainScores<float>& out) const {
  score_in(sequence, scratch, out);
}
void BoostedModel::score(const TextSequence& sequence, Scratch& scratch,
                         ChainScores<double>& out) const {
  score_in(sequence, scratch, out);
}

ContainerWriter make_boosted_model(const BoostedParts& parts) {
  const TreeArrays& trees = *parts.trees;
  std::vector<std::uint32_t> used;
  for (const TreeNode& node : trees.nodes) used.push_back(node.attribute);
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::vector<std::string_view> names;
  for (const std::uint32_t attribute : used) names.push_back(parts.names[attribute]);
  CompactVocabulary::Built built = CompactVocabulary::build(names);
  std::vector<TreeNode> nodes = trees.nodes;
  for (TreeNode& node : nodes) {
    const auto at = std::ranges::lower_bound(used, node.attribute) - used.begin();
    node.attribute = built.id[static_cast<std::size_t>(at)];
  }
  ContainerWriter out;
  write_common_sections(parts.kind, *parts.extraction, parts.labels, *parts.training,
                        {{"rounds", parts.rounds}}, out);
  out.add_numbers("base", parts.base, Kind::small);
  if (!parts.transitions.empty()) out.add_numbers("transitions", parts.transitions, Kind::small);
  out.add("attributes.names", std::move(built.image), Kind::bulk);
  out.add_numbers("trees.roots", trees.roots, Kind::bulk);
  out.add_numbers("trees.nodes", nodes, Kind::bulk);
  out.add_numbers("trees.values", trees.values, Kind::bulk);
  return out;
}

}  // namespace croft

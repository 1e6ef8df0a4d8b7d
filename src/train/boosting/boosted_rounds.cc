#include "train/boosting/boosted_rounds.h"

#include <algorithm>
#include <limits>

#include "croft/core/error.h"

namespace croft {

void BoostedRounds::Round::archive(StateArchive& state) {
  state(roots, nodes, values, second_roots, second_nodes, second_values, transition);
}

void BoostedRounds::clear() {
  first = second = {};
  rounds_.clear();
}

void BoostedRounds::close(const Matrix<double>& transition) {
  Round round{first.roots.size(),
              first.nodes.size(),
              first.values.size(),
              second.roots.size(),
              second.nodes.size(),
              second.values.size(),
              {}};
  for (std::size_t i = 0; i < transition.rows(); ++i) {
    const std::span<const double> row = transition[i];
    round.transition.insert(round.transition.end(), row.begin(), row.end());
  }
  rounds_.push_back(std::move(round));
}

void BoostedRounds::cut_back(std::size_t rounds, Matrix<double>& transition) {
  rounds_.resize(rounds);
  const Round end = rounds == 0 ? Round() : rounds_.back();
  first.roots.resize(end.roots);
  first.nodes.resize(end.nodes);
  first.values.resize(end.values);
  second.roots.resize(end.second_roots);
  second.nodes.resize(end.second_nodes);
  second.values.resize(end.second_values);
  const std::size_t labels = transition.rows();
  for (std::size_t i = 0; i < labels; ++i) {
    for (std::size_t j = 0; j < labels; ++j) {
      transition(i, j) = rounds == 0 ? 0 : end.transition[i * labels + j];
    }
  }
}

TreeArrays BoostedRounds::all(std::uint32_t moved_attributes) const {
  TreeArrays all = first;
  const auto nodes = static_cast<std::int32_t>(all.nodes.size());
  const auto values = static_cast<std::int32_t>(all.values.size());
  const auto moved = [&](std::int32_t at) { return at >= 0 ? at + nodes : ~(~at + values); };
  for (const TreeRoot& root : second.roots) all.roots.push_back({moved(root.root), root.output});
  for (TreeNode node : second.nodes) {
    node.attribute += moved_attributes;
    node.left = moved(node.left);
    node.right = moved(node.right);
    all.nodes.push_back(node);
  }
  all.values.insert(all.values.end(), second.values.begin(), second.values.end());
  return all;
}

void BoostedRounds::archive(StateArchive& state) {
  std::string bytes;
  const auto plain = [&](auto& values) {  // numbers that stand in memory as in the file
    using Value = typename std::remove_reference_t<decltype(values)>::value_type;
    bytes.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
    state(bytes);
    if (!state.reading()) return;
    values.resize(bytes.size() / sizeof(Value));
    std::copy_n(bytes.data(), values.size() * sizeof(Value),
                reinterpret_cast<char*>(values.data()));
  };
  state(rounds_);
  for (TreeArrays* trees : {&first, &second}) {
    plain(trees->roots);
    plain(trees->nodes);
    plain(trees->values);
  }
}

void append_tree(const FittedTree& tree, std::uint32_t output, double shrinkage,
                 const BinnedFeatures& features, TreeArrays& to) {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  if (to.nodes.size() + tree.nodes.size() > kMost || to.values.size() + tree.value.size() > kMost) {
    throw Error("the trees have more than 2,147,483,647 nodes or values; train for fewer rounds");
  }
  const auto first_node = static_cast<std::int32_t>(to.nodes.size());
  const auto first_value = static_cast<std::int32_t>(to.values.size());
  const auto child = [&](std::int32_t at) {
    return at >= 0 ? at + first_node : ~(~at * static_cast<std::int32_t>(tree.width) + first_value);
  };
  to.roots.push_back({child(tree.nodes.empty() ? ~0 : 0), output});
  for (const FittedTree::Node& node : tree.nodes) {
    const std::uint32_t first_bin = features.first_bin(node.feature);
    to.nodes.push_back({.attribute = features.attribute(node.feature),
                        .left = child(node.left),
                        .right = child(node.right),
                        .count = node.count,
                        .threshold = node.cut == 0 ? -std::numeric_limits<double>::infinity()
                                                   : features.upper(first_bin + node.cut - 1),
                        .gain = static_cast<float>(node.gain),
                        .absent_left = node.absent_left ? 1u : 0u});
  }
  for (const double value : tree.value) {
    to.values.push_back(static_cast<float>(shrinkage * value));
  }
}

std::size_t tested_attributes(const TreeArrays& trees) {
  std::vector<std::uint32_t> used;
  for (const TreeNode& node : trees.nodes) used.push_back(node.attribute);
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used.size();
}

}  // namespace croft

#include "model/trees/tree_ensemble.h"

#include <algorithm>
#include <cmath>

#include "croft/core/error.h"

namespace croft {

TreeEnsemble::TreeEnsemble(std::span<const TreeRoot> roots, std::span<const TreeNode> nodes,
                           std::span<const float> values, std::size_t attributes,
                           std::size_t labels)
    : roots_(roots), nodes_(nodes), values_(values), labels_(labels), first_pair_(roots.size()) {
  const auto finite = [](float value) { return std::isfinite(value); };
  if (!std::ranges::all_of(values, finite)) throw Error("a leaf of no finite value");
  std::vector<bool> taken(nodes.size());
  std::size_t end = nodes.size();  // of a tree: nodes up to the next one's root are its own
  for (std::size_t k = roots.size(); k-- > 0;) {
    const std::uint32_t output = roots[k].output;
    const bool pair = output != kAllOutputs && output >= labels;
    if (pair && output - labels >= labels * labels) throw Error("a tree of no label");
    if (pair && first_pair_ != k + 1) throw Error("trees in no order");
    if (pair) first_pair_ = k;
    const std::size_t width = output == kAllOutputs ? labels : 1;
    check(roots[k].root, -1, end, width, taken);
    if (roots[k].root < 0) continue;
    const auto root = static_cast<std::size_t>(roots[k].root);
    for (std::size_t at = root; at < end; ++at) {
      if (nodes[at].attribute >= attributes) throw Error("a test of no attribute");
      check(nodes[at].left, static_cast<std::int64_t>(at), end, width, taken);
      check(nodes[at].right, static_cast<std::int64_t>(at), end, width, taken);
    }
    end = root;
  }
}

// A child of a node or of a root, which is alone in having it.
void TreeEnsemble::check(std::int32_t child, std::int64_t parent, std::size_t end,
                         std::size_t width, std::vector<bool>& taken) const {
  if (child >= 0) {
    if (child <= parent || static_cast<std::size_t>(child) >= end ||
        taken[static_cast<std::size_t>(child)]) {
      throw Error("a child that is no node, or another's");
    }
    taken[static_cast<std::size_t>(child)] = true;
  } else if (static_cast<std::size_t>(~child) + width > values_.size()) {
    throw Error("a leaf without a value");
  }
}

void TreeEnsemble::add_states(const PositionValues& position, std::span<double> state) const {
  for (std::size_t k = 0; k < first_pair_; ++k) {
    const std::size_t at = leaf(roots_[k].root, position);
    if (roots_[k].output != kAllOutputs) {
      state[roots_[k].output] += double{values_[at]};
      continue;
    }
    for (std::size_t y = 0; y < state.size(); ++y) state[y] += double{values_[at + y]};
  }
}

// Leaves below `at`, those of positions without the attribute first.  As deep as the tree: at most
// kMostLeaves.
void TreeMasks::number_leaves(const TreeEnsemble& trees, std::uint32_t tree, std::int32_t at,
                              std::vector<Found>& found) {
  if (at < 0) {
    leaf_.push_back(static_cast<std::uint32_t>(~at));
    return;
  }
  const TreeNode& node = trees.nodes()[static_cast<std::size_t>(at)];
  const bool absent_left = node.absent_left != 0;
  const std::size_t first = leaf_.size() - leaf_begin_[tree];
  number_leaves(trees, tree, absent_left ? node.left : node.right, found);
  const std::size_t count = leaf_.size() - leaf_begin_[tree] - first;  // < kMostLeaves
  const std::uint64_t struck = ((std::uint64_t{1} << count) - 1) << first;
  found.push_back({node.attribute, {node.threshold, ~struck, tree, absent_left ? 0u : 1u}});
  number_leaves(trees, tree, absent_left ? node.right : node.left, found);
}

TreeMasks::TreeMasks(const TreeEnsemble& trees, std::size_t attributes) {
  std::vector<Found> found;
  std::size_t end = trees.nodes().size();
  std::vector<std::size_t> nodes(trees.trees());  // of each tree
  for (std::size_t k = trees.trees(); k-- > 0;) {
    if (trees.roots()[k].root < 0) continue;
    nodes[k] = end - static_cast<std::size_t>(trees.roots()[k].root);
    end -= nodes[k];
  }
  if (std::ranges::any_of(nodes, [](std::size_t count) { return count >= kMostLeaves; })) return;
  for (std::uint32_t k = 0; k < trees.trees(); ++k) {
    number_leaves(trees, k, trees.roots()[k].root, found);
    leaf_begin_.push_back(leaf_.size());
  }
  begin_.assign(attributes + 1, 0);
  for (const Found& each : found) ++begin_[each.attribute + 1];
  for (std::size_t a = 0; a < attributes; ++a) begin_[a + 1] += begin_[a];
  tests_.resize(found.size());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (const Found& each : found) tests_[next[each.attribute]++] = each.test;
}

}  // namespace croft

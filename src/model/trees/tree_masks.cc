#include "model/trees/tree_masks.h"

#include <algorithm>

namespace croft {

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

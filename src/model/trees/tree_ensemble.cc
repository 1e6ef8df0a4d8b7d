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

}  // namespace croft

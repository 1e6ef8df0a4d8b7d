// Sums of regression trees in flat arrays, as the model file has them.  docs/math/boosting.md
// (TB.1), docs/format.md, "Boosted models".
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/file/container.h"

namespace croft {

// A test of a position: v <= threshold goes to the left, a larger v to the right, and a position
// without the attribute where `absent_left` says.  Children are nodes (>= 0) or, otherwise, leaves:
// ~child is where the leaf's values begin.
struct TreeNode {
  std::uint32_t attribute = 0;
  std::int32_t left = 0, right = 0;
  std::uint32_t count = 0;  // positions that it was grown on
  double threshold = 0;
  float gain = 0;
  std::uint32_t absent_left = 1;  // 0 or 1
};
static_assert(sizeof(TreeNode) == 32);

// `output` is a label, or kAllOutputs: one value for each label in each leaf; or, from L on, the
// pair of labels (i, j) as L + i L + j.
struct TreeRoot {
  std::int32_t root = 0;  // as a child
  std::uint32_t output = 0;
};
inline constexpr std::uint32_t kAllOutputs = 0xFFFFFFFF;

struct TreeArrays {
  std::vector<TreeRoot> roots;
  std::vector<TreeNode> nodes;
  std::vector<float> values;
};

// The values of attributes at one position, and of which there are none.
class PositionValues {
 public:
  // Forgets everything.
  void start(std::size_t attributes) {
    if (at_.size() < attributes) at_.resize(attributes);
    if (++epoch_ == 0) {
      at_.assign(at_.size(), {});
      epoch_ = 1;
    }
  }
  void add(std::uint32_t attribute, double value) {
    Entry& entry = at_[attribute];
    entry.value = entry.epoch == epoch_ ? entry.value + value : value;
    entry.epoch = epoch_;
  }
  bool goes_left(const TreeNode& node) const {
    const Entry& entry = at_[node.attribute];
    return entry.epoch == epoch_ ? entry.value <= node.threshold : node.absent_left != 0;
  }

 private:
  struct Entry {
    double value = 0;
    std::uint32_t epoch = 0;
  };
  std::vector<Entry> at_;
  std::uint32_t epoch_ = 0;
};

// A view of such arrays.
class TreeEnsemble {
 public:
  TreeEnsemble() = default;
  // Throws Error, of few words, where an index is out of its range, or a child is not after its
  // parent: afterwards nothing reads outside the arrays.  Time linear in them.
  TreeEnsemble(std::span<const TreeRoot> roots, std::span<const TreeNode> nodes,
               std::span<const float> values, std::size_t attributes, std::size_t labels);

  std::size_t trees() const { return roots_.size(); }
  std::span<const TreeRoot> roots() const { return roots_; }
  std::span<const TreeNode> nodes() const { return nodes_; }
  std::span<const float> values() const { return values_; }
  bool has_pairs() const { return first_pair_ < roots_.size(); }

  // Adds the trees of labels, in their order, to state: [L].
  void add_states(const PositionValues& position, std::span<double> state) const;
  // visit(i, j, value) for each tree of a pair.
  template <class Visit>
  void visit_pairs(const PositionValues& position, const Visit& visit) const {
    for (std::size_t k = first_pair_; k < roots_.size(); ++k) {
      const std::size_t pair = roots_[k].output - labels_;
      visit(pair / labels_, pair % labels_, values_[leaf(roots_[k].root, position)]);
    }
  }

 private:
  void check(std::int32_t child, std::int64_t parent, std::size_t end, std::size_t width,
             std::vector<bool>& taken) const;
  // Where the values of its leaf begin.
  std::size_t leaf(std::int32_t at, const PositionValues& position) const {
    while (at >= 0) {
      const TreeNode& node = nodes_[static_cast<std::size_t>(at)];
      at = position.goes_left(node) ? node.left : node.right;
    }
    return static_cast<std::size_t>(~at);
  }

  std::span<const TreeRoot> roots_;  // those of pairs last
  std::span<const TreeNode> nodes_;
  std::span<const float> values_;
  std::size_t labels_ = 0, first_pair_ = 0;
};

}  // namespace croft

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

// The leaves that a position reaches in all trees of an ensemble at once, by the attributes that it
// has: a tree starts with all of its leaves, and each test that comes out otherwise than for a
// position without the attribute strikes off those that such a position could reach (Lucchese et
// al. 2015, QuickScorer).  Where positions have few of the attributes this is many times faster
// than to walk down every tree; the leaves are the same.
class TreeMasks {
 public:
  TreeMasks() = default;
  // Time and memory linear in the trees, which are sound (TreeEnsemble).
  TreeMasks(const TreeEnsemble& trees, std::size_t attributes);

  // Where a tree has more leaves than this there are no masks at all.
  static constexpr std::size_t kMostLeaves = 64;
  bool empty() const { return leaf_.empty(); }

  using Left = std::vector<std::uint64_t>;  // [trees] the leaves that are left
  void start(Left& left) const { left.assign(leaf_begin_.size() - 1, ~std::uint64_t{0}); }
  // Tests of an attribute: what see() costs.
  std::size_t tests(std::uint32_t attribute) const {
    return begin_[attribute + 1] - begin_[attribute];
  }
  // The position has the attribute, with this value; each attribute once.
  void see(std::uint32_t attribute, double value, Left& left) const {
    for (std::size_t k = begin_[attribute]; k < begin_[attribute + 1]; ++k) {
      const Test& test = tests_[k];
      const bool differs = (value <= test.threshold) == (test.low_differs != 0);
      left[test.tree] &= differs ? test.keep : ~std::uint64_t{0};
    }
  }
  // Where the values of the leaf begin that is reached.
  std::size_t leaf(std::size_t tree, const Left& left) const {
    return leaf_[leaf_begin_[tree] + static_cast<std::size_t>(__builtin_ctzll(left[tree]))];
  }

 private:
  struct Test {
    double threshold;
    std::uint64_t keep;  // leaves that are left where the test differs
    std::uint32_t tree;
    std::uint32_t low_differs;  // 1: values up to the threshold go elsewhere than those without one
  };
  struct Found {
    std::uint32_t attribute;
    Test test;
  };
  void number_leaves(const TreeEnsemble& trees, std::uint32_t tree, std::int32_t at,
                     std::vector<Found>& found);

  std::vector<std::size_t> begin_{0};  // [attributes + 1] into tests_
  std::vector<Test> tests_;
  std::vector<std::size_t> leaf_begin_{0};  // [trees + 1] into leaf_
  std::vector<std::uint32_t> leaf_;         // place of each leaf's values; first those without
};

}  // namespace croft

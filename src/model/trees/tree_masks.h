// The leaves that a position reaches in all trees of an ensemble at once, by the attributes that it
// has: a tree starts with all of its leaves, and each test that comes out otherwise than for a
// position without the attribute strikes off those that such a position could reach (Lucchese et
// al. 2015, QuickScorer).  Where positions have few of the attributes this is many times faster
// than to walk down every tree; the leaves are the same.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/trees/tree_ensemble.h"

namespace croft {

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

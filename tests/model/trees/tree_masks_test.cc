#include "model/trees/tree_ensemble.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft::tree_masks_test {
namespace {

constexpr std::size_t kAttributes = 6;

// Appends a random tree of so many leaves, of width 1.
void append_tree(std::size_t leaves, std::uint32_t output, Random& random, TreeArrays& out) {
  const auto leaf = [&] {
    out.values.push_back(static_cast<float>(random.normal()));
    return ~static_cast<std::int32_t>(out.values.size() - 1);
  };
  const std::size_t first = out.nodes.size();
  out.roots.push_back({leaves == 1 ? leaf() : static_cast<std::int32_t>(first), output});
  std::vector<std::size_t> open;  // nodes whose children are leaves so far
  for (std::size_t k = 1; k < leaves; ++k) {
    TreeNode node;
    node.attribute = static_cast<std::uint32_t>(random.below(kAttributes));
    node.threshold = random.below(4) == 0 ? -std::numeric_limits<double>::infinity()
                                          : static_cast<double>(random.below(5)) - 1.5;
    node.absent_left = static_cast<std::uint32_t>(random.below(2));
    node.left = leaf();
    node.right = leaf();
    const auto place = static_cast<std::int32_t>(out.nodes.size());
    if (k > 1) {
      const std::size_t at = open[random.below(open.size())];
      const bool left =
          out.nodes[at].left < 0 && (out.nodes[at].right >= 0 || random.below(2) == 0);
      (left ? out.nodes[at].left : out.nodes[at].right) = place;
      if (out.nodes[at].left >= 0 && out.nodes[at].right >= 0) std::erase(open, at);
    }
    out.nodes.push_back(node);
    open.push_back(out.nodes.size() - 1);
  }
}

std::size_t walk(const TreeArrays& trees, std::size_t tree, const PositionValues& position) {
  std::int32_t at = trees.roots[tree].root;
  while (at >= 0) {
    const TreeNode& node = trees.nodes[static_cast<std::size_t>(at)];
    at = position.goes_left(node) ? node.left : node.right;
  }
  return static_cast<std::size_t>(~at);
}

TEST(TreeMasks, FindTheLeavesThatAWalkDownTheTreesFinds) {
  Random random(1);
  for (int trial = 0; trial < 50; ++trial) {
    TreeArrays trees;
    for (int k = 0; k < 20; ++k) {
      append_tree(k == 0 ? 64 : 1 + random.below(20), 0, random, trees);
    }
    const TreeEnsemble ensemble(trees.roots, trees.nodes, trees.values, kAttributes, 1);
    const TreeMasks masks(ensemble, kAttributes);
    ASSERT_FALSE(masks.empty());
    for (int n = 0; n < 20; ++n) {
      PositionValues position;
      position.start(kAttributes);
      TreeMasks::Left left;
      masks.start(left);
      for (std::uint32_t a = 0; a < kAttributes; ++a) {
        if (random.below(2) == 0) continue;
        const double value = static_cast<double>(random.below(5)) - 2;
        position.add(a, value);
        masks.see(a, value, left);
      }
      for (std::size_t k = 0; k < ensemble.trees(); ++k) {
        ASSERT_EQ(masks.leaf(k, left), walk(trees, k, position));
      }
    }
  }
}

TEST(TreeMasks, AreNotThereWhereATreeHasMoreLeavesThanBits) {
  Random random(2);
  TreeArrays trees;
  append_tree(65, 0, random, trees);
  const TreeEnsemble ensemble(trees.roots, trees.nodes, trees.values, kAttributes, 1);
  EXPECT_TRUE(TreeMasks(ensemble, kAttributes).empty());
}

// The same array with one thing wrong.
template <class Break>
void expect_refused(const Break& break_it) {
  Random random(3);
  TreeArrays trees;
  append_tree(4, 0, random, trees);
  append_tree(3, 1, random, trees);
  break_it(trees);
  EXPECT_THROW(TreeEnsemble(trees.roots, trees.nodes, trees.values, kAttributes, 2), Error);
}

TEST(TreeEnsemble, RefusesEveryIndexOutOfRange) {
  expect_refused([](TreeArrays& t) { t.nodes[0].attribute = kAttributes; });
  expect_refused([](TreeArrays& t) { t.nodes[0].left = 0; });                     // itself
  expect_refused([](TreeArrays& t) { t.nodes[2].right = 1; });                    // backwards
  expect_refused([](TreeArrays& t) { t.nodes[0].left = t.nodes[0].right = 1; });  // twice
  expect_refused([](TreeArrays& t) { t.nodes[0].left = 3; });                     // the next tree's
  expect_refused([](TreeArrays& t) { t.nodes[4].left = 5; });                     // no node
  expect_refused([](TreeArrays& t) { t.nodes[4].left = ~std::int32_t{1000}; });   // no leaf
  expect_refused([](TreeArrays& t) { t.roots[0].root = 900; });
  expect_refused([](TreeArrays& t) { t.roots[1].output = 6; });  // 2 + 2 * 2
  expect_refused([](TreeArrays& t) { t.roots[0].output = 2; });  // a pair before a label
  expect_refused([](TreeArrays& t) { t.values[0] = NAN; });
  expect_refused([](TreeArrays& t) {  // two values in the last leaf
    t.roots[1].output = kAllOutputs;
  });
}

}  // namespace
}  // namespace croft::tree_masks_test

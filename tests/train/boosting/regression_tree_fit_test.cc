#include "train/boosting/regression_tree_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft::regression_tree_fit_test {
namespace {

// Some positions in the plainest form: a value or nothing for each attribute.
struct Plain {
  std::size_t width = 1;
  std::vector<std::vector<std::optional<double>>> value;  // [rows][attributes]
  std::vector<std::vector<double>> g, h;                  // [rows][width]

  std::size_t rows() const { return value.size(); }
  AttributeLists lists() const {
    AttributeLists out;
    for (const auto& row : value) {
      for (std::uint32_t a = 0; a < row.size(); ++a) {
        if (!row[a]) continue;
        out.id.push_back(a);
        out.value.push_back(*row[a]);
      }
      out.begin.push_back(out.id.size());
    }
    return out;
  }
  std::vector<float> gradient() const {
    const std::size_t stride = TreeGradient::stride(width);
    std::vector<float> out(rows() * 2 * stride);
    for (std::size_t r = 0; r < rows(); ++r) {
      for (std::size_t y = 0; y < width; ++y) {
        out[r * 2 * stride + y] = static_cast<float>(g[r][y]);
        out[r * 2 * stride + stride + y] = static_cast<float>(h[r][y]);
      }
    }
    return out;
  }
};

Plain random_plain(Random& random, std::size_t rows, std::size_t attributes, std::size_t width,
                   double share, std::uint64_t values) {
  Plain out;
  out.width = width;
  for (std::size_t r = 0; r < rows; ++r) {
    out.value.emplace_back(attributes);
    for (auto& cell : out.value.back()) {
      if (random.uniform() < share) cell = static_cast<double>(random.below(values));
    }
    out.g.emplace_back();
    out.h.emplace_back();
    for (std::size_t y = 0; y < width; ++y) {
      out.g.back().push_back(static_cast<float>(random.normal()));
      out.h.back().push_back(static_cast<float>(random.uniform()));
    }
  }
  return out;
}

using Rows = std::vector<std::uint32_t>;

Rows all_rows(std::size_t count) {
  Rows rows(count);
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

double worth(const Plain& data, const Rows& rows, double l2) {
  double sum = 0;
  for (std::size_t y = 0; y < data.width; ++y) {
    double g = 0, h = 0;
    for (const std::uint32_t r : rows) {
      g += data.g[r][y];
      h += data.h[r][y];
    }
    sum += g * g / std::max(h + l2, kLeastCurvature);
  }
  return sum;
}

double weight_of(const Plain& data, const Rows& rows) {
  double sum = 0;
  for (const std::uint32_t r : rows) {
    for (const double h : data.h[r]) sum += h;
  }
  return sum;
}

struct NaiveSplit {
  double gain = 0;
  std::size_t attribute = 0;
  double threshold = 0;
  bool absent_left = true;
  Rows left, right;
};

// (TB.6) of every attribute, every threshold between values and every way of those without it.
std::optional<NaiveSplit> naive_split(const Plain& data, const Rows& rows,
                                      const TreeFitOptions& options) {
  std::optional<NaiveSplit> best;
  for (std::size_t a = 0; a < data.value[0].size(); ++a) {
    std::vector<double> thresholds{-INFINITY};
    for (const std::uint32_t r : rows) {
      if (data.value[r][a]) thresholds.push_back(*data.value[r][a]);
    }
    std::ranges::sort(thresholds);
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
    for (const double threshold : thresholds) {
      for (const bool absent_left : {true, false}) {
        NaiveSplit split{0, a, threshold, absent_left, {}, {}};
        for (const std::uint32_t r : rows) {
          const auto& value = data.value[r][a];
          ((value ? *value <= threshold : absent_left) ? split.left : split.right).push_back(r);
        }
        const bool allowed = split.left.size() >= options.min_child_count &&
                             split.right.size() >= options.min_child_count &&
                             weight_of(data, split.left) >= options.min_child_weight &&
                             weight_of(data, split.right) >= options.min_child_weight;
        if (!allowed || split.left.empty() || split.right.empty()) continue;
        split.gain = 0.5 * (worth(data, split.left, options.l2) +
                            worth(data, split.right, options.l2) - worth(data, rows, options.l2));
        if (split.gain <= std::max(options.min_gain, 1e-9)) continue;
        if (!best || split.gain > best->gain + 1e-9) best = split;
      }
    }
  }
  return best;
}

// The rows of each leaf of a tree that is grown best first.
std::vector<Rows> naive_leaves(const Plain& data, const Rows& rows, const TreeFitOptions& options) {
  struct Leaf {
    Rows rows;
    std::size_t depth;
  };
  std::vector<Leaf> leaves{{rows, 0}};
  while (leaves.size() < options.leaves) {
    std::optional<NaiveSplit> best;
    std::size_t at = 0;
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      if (leaves[k].depth >= options.depth) continue;
      const auto split = naive_split(data, leaves[k].rows, options);
      if (!split || (best && split->gain <= best->gain)) continue;
      best = split;
      at = k;
    }
    if (!best) break;
    const std::size_t depth = leaves[at].depth + 1;
    leaves[at] = {best->left, depth};
    leaves.push_back({best->right, depth});
  }
  std::vector<Rows> out;
  for (const Leaf& leaf : leaves) out.push_back(leaf.rows);
  std::ranges::sort(out);
  return out;
}

struct Fit {
  FittedTree tree;
  std::vector<std::uint16_t> leaf_of;
};

Fit fit(const Plain& data, const TreeFitOptions& options, std::size_t parts = 1,
        std::optional<Rows> grown = {}, ThreadPool* pool = nullptr, std::uint64_t seed = 1) {
  const BinnedFeatures features(data.lists(), {}, data.value[0].size(), {.parts = parts});
  TreeFitter fitter(features, data.width);
  Fit out;
  out.leaf_of.resize(data.rows());
  const std::vector<float> gradient = data.gradient();
  const Rows all = all_rows(data.rows());
  fitter.fit(grown ? *grown : all, all, {gradient.data()}, options, seed, pool, out.tree,
             out.leaf_of);
  for (std::size_t r = 0; r < data.rows(); ++r) {
    EXPECT_EQ(out.tree.leaf(features, r), out.leaf_of[r]);
  }
  return out;
}

std::vector<Rows> leaves_of(const Fit& fit) {
  std::vector<Rows> out(fit.tree.leaves());
  for (std::uint32_t r = 0; r < fit.leaf_of.size(); ++r) out[fit.leaf_of[r]].push_back(r);
  std::ranges::sort(out);
  return out;
}

TEST(RegressionTreeFit, TheFirstTestIsTheBestOfAllThresholdsOfAllAttributes) {
  Random random(1);
  for (int trial = 0; trial < 60; ++trial) {
    const double share = trial % 3 == 0 ? 1.0 : 0.4;
    const Plain data = random_plain(random, 30, 6, 1 + random.below(3), share, 1 + random.below(6));
    const TreeFitOptions options{.leaves = 2,
                                 .l2 = random.uniform(),
                                 .min_child_weight = 3 * random.uniform(),
                                 .min_child_count = 1 + random.below(4)};
    const auto expected = naive_split(data, all_rows(30), options);
    const Fit got = fit(data, options);
    ASSERT_EQ(got.tree.nodes.empty(), !expected.has_value());
    if (!expected) continue;
    EXPECT_NEAR(got.tree.nodes[0].gain, expected->gain, 1e-9 * (1 + expected->gain));
    EXPECT_EQ(got.tree.nodes[0].feature, expected->attribute);
    std::vector<Rows> leaves{expected->left, expected->right};
    std::ranges::sort(leaves);
    EXPECT_EQ(leaves_of(got), leaves) << trial;
  }
}

TEST(RegressionTreeFit, WholeTreesAreThoseOfBruteForce) {
  Random random(2);
  for (int trial = 0; trial < 40; ++trial) {
    const double share = trial % 2 == 0 ? 0.9 : 0.3;
    const Plain data = random_plain(random, 80, 8, trial % 4 == 3 ? 3 : 1, share, 5);
    const TreeFitOptions options{.leaves = 2 + random.below(12),
                                 .depth = 1 + random.below(5),
                                 .l2 = 0.5,
                                 .min_child_weight = 1,
                                 .min_child_count = 2};
    EXPECT_EQ(leaves_of(fit(data, options)), naive_leaves(data, all_rows(80), options)) << trial;
  }
}

TEST(RegressionTreeFit, LeafValuesAreNewtonStepsOfTheirPositions) {
  Random random(3);
  const Plain data = random_plain(random, 100, 5, 3, 0.5, 3);
  const TreeFitOptions options{.leaves = 6, .l2 = 0.7};
  const Fit got = fit(data, options);
  ASSERT_GT(got.tree.leaves(), 2u);
  for (std::size_t leaf = 0; leaf < got.tree.leaves(); ++leaf) {
    for (std::size_t y = 0; y < 3; ++y) {
      double g = 0, h = 0;
      for (std::size_t r = 0; r < data.rows(); ++r) {
        if (got.leaf_of[r] != leaf) continue;
        g += data.g[r][y];
        h += data.h[r][y];
      }
      EXPECT_NEAR(got.tree.value[leaf * 3 + y], -g / (h + 0.7), 1e-9);
    }
  }
}

TEST(RegressionTreeFit, ALeafOfVanishingCurvatureStopsAtTheLargestValue) {
  Plain data;
  data.value = {{1.0}, {1.0}};
  data.g = {{0.9}, {0.9}};
  data.h = {{1e-12}, {1e-12}};
  EXPECT_DOUBLE_EQ(fit(data, {.l2 = 0, .min_child_weight = 0}).tree.value[0], -kLargestLeaf);
}

TEST(RegressionTreeFit, PositionsWithoutTheAttributeGoWhereTheyGainMost) {
  // Values 0 and 1 want different signs, and those without a value go with the 1s.
  Plain data;
  for (int k = 0; k < 12; ++k) {
    const int sort = k % 3;
    data.value.push_back({sort == 2 ? std::optional<double>() : std::optional<double>(sort)});
    data.g.push_back({sort == 0 ? 1.0 : -1.0});
    data.h.push_back({1.0});
  }
  const Fit got = fit(data, {.leaves = 2, .l2 = 0});
  ASSERT_EQ(got.tree.nodes.size(), 1u);
  EXPECT_FALSE(got.tree.nodes[0].absent_left);
  EXPECT_EQ(got.leaf_of[1], got.leaf_of[2]);
  EXPECT_NE(got.leaf_of[0], got.leaf_of[1]);
  for (auto& g : data.g) g[0] = -g[0];
  for (int k = 2; k < 12; k += 3) data.g[k][0] = -1;  // now with the 0s
  const Fit other = fit(data, {.leaves = 2, .l2 = 0});
  EXPECT_TRUE(other.tree.nodes[0].absent_left);
  EXPECT_EQ(other.leaf_of[0], other.leaf_of[2]);
}

TEST(RegressionTreeFit, WhereNoneLacksTheAttributeOneThatDoesGoesWithMost) {
  Plain data;
  for (int k = 0; k < 10; ++k) {
    data.value.push_back({k < 3 ? 0.0 : 1.0});
    data.g.push_back({k < 3 ? 1.0 : -1.0});
    data.h.push_back({1.0});
  }
  EXPECT_FALSE(fit(data, {.leaves = 2}).tree.nodes[0].absent_left);
  for (int k = 3; k < 8; ++k) data.value[k] = {0.0}, data.g[k] = {1.0};
  EXPECT_TRUE(fit(data, {.leaves = 2}).tree.nodes[0].absent_left);
}

TEST(RegressionTreeFit, PresenceIsATestOfItsOwn) {
  Plain data;
  for (int k = 0; k < 12; ++k) {
    const bool there = k % 2 == 0;
    data.value.push_back({there ? std::optional<double>(k) : std::optional<double>()});
    data.g.push_back({there ? 1.0 : -1.0});
    data.h.push_back({1.0});
  }
  const Fit got = fit(data, {.leaves = 2});
  EXPECT_EQ(got.tree.nodes[0].cut, 0u);
  EXPECT_TRUE(got.tree.nodes[0].absent_left);
}

TEST(RegressionTreeFit, DepthZeroIsOneConstant) {
  Random random(4);
  const Fit got = fit(random_plain(random, 20, 3, 1, 0.5, 2), {.depth = 0});
  EXPECT_TRUE(got.tree.nodes.empty());
  EXPECT_EQ(got.tree.leaves(), 1u);
}

TEST(RegressionTreeFit, ATestMustGainMoreThanAskedFor) {
  Random random(5);
  const Plain data = random_plain(random, 40, 4, 1, 0.5, 2);
  const double gain = fit(data, {.leaves = 2}).tree.nodes[0].gain;
  EXPECT_EQ(fit(data, {.leaves = 2, .min_gain = gain * 0.999}).tree.nodes.size(), 1u);
  EXPECT_TRUE(fit(data, {.leaves = 2, .min_gain = gain * 1.001}).tree.nodes.empty());
}

TEST(RegressionTreeFit, PartsAndThreadsGiveTheSameTree) {
  Random random(6);
  for (const std::size_t width : {1u, 5u}) {
    for (const double share : {0.2, 0.9}) {
      const Plain data = random_plain(random, 300, 30, width, share, 7);
      const Fit one = fit(data, {.leaves = 20});
      ThreadPool pool(3);
      const Fit many = fit(data, {.leaves = 20}, 5, {}, &pool);
      EXPECT_EQ(one.leaf_of, many.leaf_of);
      EXPECT_EQ(one.tree.value, many.tree.value);
    }
  }
}

TEST(RegressionTreeFit, TestsComeFromTheRowsThatItIsGrownOnAndLeavesFromAll) {
  Random random(7);
  for (const double share : {0.3, 0.9}) {
    const Plain data = random_plain(random, 120, 6, 1, share, 4);
    Rows some;
    for (std::uint32_t r = 0; r < 120; r += 3) some.push_back(r);
    const TreeFitOptions options{.leaves = 5, .l2 = 0.5, .min_child_weight = 0.5};
    const Fit got = fit(data, options, 1, some);
    std::vector<Rows> leaves(got.tree.leaves());
    for (const std::uint32_t r : some) leaves[got.leaf_of[r]].push_back(r);
    std::ranges::sort(leaves);
    EXPECT_EQ(leaves, naive_leaves(data, some, options));
    double g = 0, h = 0;
    for (std::size_t r = 0; r < 120; ++r) {
      if (got.leaf_of[r] != 0) continue;
      g += data.g[r][0];
      h += data.h[r][0];
    }
    EXPECT_NEAR(got.tree.value[0], -g / (h + 0.5), 1e-9);
  }
}

TEST(RegressionTreeFit, AShareOfTheAttributesIsDrawnForEachTree) {
  Random random(8);
  const Plain data = random_plain(random, 200, 40, 1, 0.5, 2);
  std::map<std::uint32_t, int> first;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Fit got = fit(data, {.leaves = 2, .feature_share = 0.3}, 1, {}, nullptr, seed);
    ASSERT_FALSE(got.tree.nodes.empty());
    ++first[got.tree.nodes[0].feature];
  }
  EXPECT_GT(first.size(), 3u);  // with all attributes it would be one
  EXPECT_LT(first.begin()->second, 60);
}

TEST(RegressionTreeFit, OptionsOutOfRangeAreNamed) {
  EXPECT_THROW((TreeFitOptions{.leaves = 0}.validate()), UsageError);
  EXPECT_THROW((TreeFitOptions{.l2 = -1}.validate()), UsageError);
  EXPECT_THROW((TreeFitOptions{.min_child_weight = NAN}.validate()), UsageError);
  EXPECT_THROW((TreeFitOptions{.min_child_count = 0}.validate()), UsageError);
  EXPECT_THROW((TreeFitOptions{.min_gain = -1}.validate()), UsageError);
  EXPECT_THROW((TreeFitOptions{.feature_share = 0}.validate()), UsageError);
  EXPECT_NO_THROW(TreeFitOptions().validate());
}

}  // namespace
}  // namespace croft::regression_tree_fit_test

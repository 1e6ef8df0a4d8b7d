#include "features/kit/binned_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "croft/core/random.h"

namespace croft::binned_features_test {
namespace {

using Row = std::vector<std::pair<std::uint32_t, double>>;

AttributeLists lists(const std::vector<Row>& rows) {
  AttributeLists out;
  for (const Row& row : rows) {
    for (const auto& [id, value] : row) {
      out.id.push_back(id);
      out.value.push_back(value);
    }
    out.begin.push_back(out.id.size());
  }
  return out;
}

std::vector<Row> random_rows(Random& random, std::size_t count, std::uint32_t attributes,
                             double share, std::uint64_t values) {
  std::vector<Row> rows(count);
  for (Row& row : rows) {
    for (std::uint32_t a = 0; a < attributes; ++a) {
      if (random.uniform() < share) row.emplace_back(a, static_cast<double>(random.below(values)));
    }
    std::ranges::reverse(row);  // in no order
  }
  return rows;
}

TEST(BinnedFeatures, FewValuesHaveABinEach) {
  const auto data = lists({{{0, 3.0}}, {{0, 1.0}}, {{0, 3.0}}, {}, {{0, -2.0}}});
  const BinnedFeatures features(data, {}, 1, {});
  ASSERT_EQ(features.bins(), 3u);
  EXPECT_DOUBLE_EQ(features.upper(0), -0.5);
  EXPECT_DOUBLE_EQ(features.upper(1), 2.0);
  EXPECT_TRUE(std::isinf(features.upper(2)));
  EXPECT_EQ(features.bin_at(0, 0), 2u);
  EXPECT_EQ(features.bin_at(0, 1), 1u);
  EXPECT_EQ(features.bin_at(0, 3), BinnedFeatures::kAbsent);
}

TEST(BinnedFeatures, ManyValuesHaveBinsOfAboutEqualCounts) {
  std::vector<Row> rows;
  for (int k = 0; k < 1000; ++k) rows.push_back({{0, std::pow(k, 3.0)}});
  const BinnedFeatures features(lists(rows), {}, 1, {.bins = 10});
  ASSERT_EQ(features.bins(), 10u);
  std::map<std::uint32_t, int> count;
  for (std::size_t r = 0; r < rows.size(); ++r) ++count[features.bin_at(0, r)];
  for (const auto& [bin, n] : count) EXPECT_EQ(n, 100) << bin;
}

TEST(BinnedFeatures, OneFrequentValueTakesOneBinAndLeavesTheOthersTheirs) {
  std::vector<Row> rows;
  for (int k = 0; k < 900; ++k) rows.push_back({{0, 0.0}});
  for (int k = 1; k <= 100; ++k) rows.push_back({{0, double(k)}});
  const BinnedFeatures features(lists(rows), {}, 1, {.bins = 5});
  ASSERT_EQ(features.bins(), 5u);
  EXPECT_DOUBLE_EQ(features.upper(0), 0.5);
  EXPECT_DOUBLE_EQ(features.upper(1), 25.5);
}

TEST(BinnedFeatures, AnAttributeTwiceAtAPositionHasTheSumOfItsValues) {
  const auto data = lists({{{0, 1.0}, {1, 1.0}, {0, 1.0}}, {{0, 1.0}}});
  const BinnedFeatures features(data, {}, 2, {});
  ASSERT_EQ(features.bins(), 3u);  // 1 and 2 of the first, 1 of the second
  EXPECT_EQ(features.bin_at(0, 0), 1u);
  EXPECT_EQ(features.bin_at(0, 1), 0u);
}

TEST(BinnedFeatures, RareAttributesAreLeftOut) {
  const auto data = lists({{{0, 1.0}, {1, 1.0}}, {{0, 1.0}, {2, 1.0}}, {{2, 1.0}}});
  const BinnedFeatures features(data, {}, 3, {.min_positions = 2});
  ASSERT_EQ(features.features(), 2u);
  EXPECT_EQ(features.attribute(0), 0u);
  EXPECT_EQ(features.attribute(1), 2u);
}

TEST(BinnedFeatures, NeighbouringNumbersHaveNoNumberBetweenThem) {
  const double low = 1.0, high = std::nextafter(1.0, 2.0);
  const BinnedFeatures features(lists({{{0, low}}, {{0, high}}}), {}, 1, {});
  ASSERT_EQ(features.bins(), 2u);
  EXPECT_EQ(features.bin_at(0, 0), 0u);
  EXPECT_EQ(features.bin_at(0, 1), 1u);
}

TEST(BinnedFeatures, RowsPostingsAndPartsSayTheSame) {
  Random random(7);
  for (const double share : {0.1, 0.95}) {
    const auto rows = random_rows(random, 60, 20, share, 9);
    const auto more = random_rows(random, 15, 20, share, 12);
    for (const std::size_t parts : {1u, 4u}) {
      const BinnedFeatures features(lists(rows), lists(more), 20, {.bins = 5, .parts = parts});
      ASSERT_EQ(features.rows(), 75u);
      EXPECT_EQ(features.dense(), share > 0.5);
      EXPECT_EQ(features.has_columns(), features.dense());
      for (std::uint32_t f = 0; f < features.features(); ++f) {
        std::vector<std::uint32_t> bins(75, BinnedFeatures::kAbsent);
        for (std::size_t r = 0; r < 75; ++r) {
          const Row& row = r < 60 ? rows[r] : more[r - 60];
          const auto at = std::ranges::find(row, features.attribute(f), &Row::value_type::first);
          if (at == row.end()) continue;
          std::uint32_t bin = features.first_bin(f);
          while (features.upper(bin) < at->second) ++bin;
          bins[r] = bin;
        }
        for (std::size_t r = 0; r < 75; ++r) EXPECT_EQ(features.bin_at(f, r), bins[r]);
        if (features.dense()) continue;
        const auto postings = features.postings(f);
        std::size_t k = 0;
        for (std::size_t r = 0; r < 75; ++r) {
          if (bins[r] == BinnedFeatures::kAbsent) continue;
          ASSERT_LT(k, postings.row.size());
          EXPECT_EQ(postings.row[k], r);
          EXPECT_EQ(postings.bin[k] + features.first_bin(f), bins[r]);
          ++k;
        }
        EXPECT_EQ(k, postings.row.size());
      }
    }
  }
}

TEST(BinnedFeatures, ColumnsAreOfAtMost255Bins) {
  std::vector<Row> rows;
  for (int r = 0; r < 300; ++r) rows.push_back({{0, double(r % 256)}});
  const BinnedFeatures all(lists(rows), {}, 1, {.bins = 256});
  const BinnedFeatures fewer(lists(rows), {}, 1, {.bins = 255});
  EXPECT_TRUE(all.dense());
  EXPECT_FALSE(all.has_columns());
  EXPECT_EQ(all.bin_at(0, 255), 255u);
  ASSERT_TRUE(fewer.has_columns());
  for (std::size_t r = 0; r < 300; ++r) EXPECT_EQ(fewer.column(0)[r], fewer.bin_at(0, r));
}

}  // namespace
}  // namespace croft::binned_features_test

// Which sequences are summed over together.
#include "train/functions/waves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "croft/core/random.h"
#include "croft/inference/chain_sum.h"

namespace croft::length_groups_test {
namespace {

using Lengths = std::vector<std::uint32_t>;

std::vector<std::size_t> sizes(const LengthGroups& groups) {
  std::vector<std::size_t> list;
  for (std::size_t g = 0; g < groups.size(); ++g) list.push_back(groups[g].size());
  return list;
}

TEST(LengthGroups, EverySequenceIsInOneGroupLongestFirst) {
  Random random(1);
  for (const double fill : {0.0, 0.125, 0.7, 1.0}) {
    Lengths length(500);
    for (std::uint32_t& t : length) t = static_cast<std::uint32_t>(1 + random.below(60));
    const LengthGroups groups = group_by_length(length, fill, 100);
    Lengths seen(groups.order);
    std::ranges::sort(seen);
    Lengths all(500);
    std::iota(all.begin(), all.end(), 0u);
    EXPECT_EQ(seen, all);
    EXPECT_EQ(groups.begin.back(), 500u);
    for (std::size_t k = 1; k < 500; ++k) {
      const std::uint32_t before = groups.order[k - 1], here = groups.order[k];
      EXPECT_TRUE(length[before] > length[here] ||
                  (length[before] == length[here] && before < here));
    }
  }
}

TEST(LengthGroups, GroupsAreFilledAsAsked) {
  Random random(2);
  Lengths length(1000);
  for (std::uint32_t& t : length) {
    t = static_cast<std::uint32_t>(1 + random.below(random.below(20) == 0 ? 300 : 30));
  }
  const LengthGroups groups = group_by_length(length, 0.7, 100);
  std::size_t full = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto group = groups[g];
    ASSERT_GE(group.size(), 1u);
    ASSERT_LE(group.size(), kChainLanes);
    std::size_t used = 0;
    for (const std::uint32_t n : group) used += length[n];
    EXPECT_GE(static_cast<double>(used),
              0.7 * static_cast<double>(length[group[0]] * group.size()));
    full += group.size() == kChainLanes;
  }
  EXPECT_GT(full, 1000 / kChainLanes / 2);
}

TEST(LengthGroups, ASequenceFarLongerThanTheOthersGoesAlone) {
  Lengths length(kChainLanes + 1, 10);
  length[3] = 100;
  const LengthGroups groups = group_by_length(length, 0.7, 100);
  EXPECT_EQ(sizes(groups), (std::vector<std::size_t>{1, kChainLanes}));
  EXPECT_EQ(groups[0][0], 3u);
  EXPECT_EQ(sizes(group_by_length(length, 0.125, 100)), (std::vector<std::size_t>{kChainLanes, 1}));
}

TEST(LengthGroups, LongSequencesHaveFewCompanionsOrNone) {
  EXPECT_EQ(sizes(group_by_length(Lengths(3, 1'000'000), 0, 32)),
            (std::vector<std::size_t>{1, 1, 1}));
  EXPECT_EQ(sizes(group_by_length(Lengths(3, 100), 0, 1 << 30)),
            (std::vector<std::size_t>{1, 1, 1}));
  // 4 tables of 2 MiB are 8 MiB.
  EXPECT_EQ(sizes(group_by_length(Lengths(9, 1024), 0, 2048)), (std::vector<std::size_t>{4, 4, 1}));
}

TEST(LengthGroups, NothingMakesNoGroups) {
  EXPECT_EQ(group_by_length(Lengths(), 0.7, 100).size(), 0u);
  EXPECT_EQ(sizes(group_by_length(Lengths(2, 0), 0.7, 100)), (std::vector<std::size_t>{2}));
}

}  // namespace
}  // namespace croft::length_groups_test

#include "croft/structure/edge_sharing.h"

#include <gtest/gtest.h>

#include "croft/core/random.h"

namespace croft::edge_sharing_test {
namespace {

using Numbers = std::vector<std::uint32_t>;

constexpr std::size_t kAlways = 0xFFFFFFFF;

// Every edge has the number that the sharing implies.
void expect_sound(const EdgeSharing& sharing, std::size_t labels, const Numbers& number) {
  const auto at = [&](Edge edge) { return number[edge.from * labels + edge.to]; };
  if (sharing.by_classes()) {
    for (Label i = 0; i < labels; ++i) {
      for (Label j = 0; j < labels; ++j) {
        const Edge first = sharing.first[sharing.from[i] * sharing.to_classes + sharing.to[j]];
        ASSERT_EQ(at({i, j}), at(first));
        ASSERT_LE(first, (Edge{i, j}));
        ASSERT_EQ(sharing.from[first.from], sharing.from[i]);
        ASSERT_EQ(sharing.to[first.to], sharing.to[j]);
      }
    }
    return;
  }
  std::size_t k = 0;
  for (Label i = 0; i < labels; ++i) {
    for (Label j = 0; j < labels; ++j) {
      if (k < sharing.listed.size() && sharing.listed[k] == Edge{i, j}) {
        ++k;
      } else {
        ASSERT_EQ(at({i, j}), at(sharing.common));
      }
    }
  }
  EXPECT_EQ(k, sharing.listed.size());
}

TEST(EdgeSharing, GroupsByLabelsAreClasses) {
  Numbers number;
  for (Label i = 0; i < 12; ++i) {
    for (Label j = 0; j < 12; ++j) number.push_back(i % 2 == 0 && j >= 6 ? 7 : 4);
  }
  const auto sharing = find_sharing(12, number, kAlways);
  ASSERT_TRUE(sharing && sharing->by_classes());
  EXPECT_EQ(sharing->from_classes, 2u);
  EXPECT_EQ(sharing->to_classes, 2u);
  EXPECT_EQ(sharing->cost(), 28u);
  expect_sound(*sharing, 12, number);
}

TEST(EdgeSharing, GroupsWithoutAPatternAreListedOverTheLargest) {
  Random random(3);
  Numbers number(40 * 40, 9);
  for (int k = 0; k < 30; ++k) number[random.below(number.size())] = 1;
  const auto sharing = find_sharing(40, number, kAlways);
  ASSERT_TRUE(sharing && !sharing->by_classes());
  EXPECT_LE(sharing->listed.size(), 30u);
  expect_sound(*sharing, 40, number);
}

TEST(EdgeSharing, TheCheaperWayIsTakenAndNoneThatCostsTooMuch) {
  Random random(4);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t labels = 1 + random.below(9), groups = 1 + random.below(4);
    Numbers number(labels * labels);
    for (auto& n : number) n = static_cast<std::uint32_t>(random.below(groups));
    const auto sharing = find_sharing(labels, number, kAlways);
    ASSERT_TRUE(sharing);
    expect_sound(*sharing, labels, number);
    EXPECT_FALSE(find_sharing(labels, number, sharing->cost()));
    EXPECT_TRUE(find_sharing(labels, number, sharing->cost() + 1));
  }
  EXPECT_FALSE(find_sharing(0, {}, kAlways));
}

}  // namespace
}  // namespace croft::edge_sharing_test

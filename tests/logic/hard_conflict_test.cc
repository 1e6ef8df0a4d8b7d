#include "logic/hard_conflict.h"

#include <gtest/gtest.h>

#include <cmath>

#include "random_store.h"

namespace croft {
namespace {

TEST(HardConflict, WhatIsDecidedHoldsInEveryAllowedWorld) {
  Random random(29);
  int decided = 0;
  for (int round = 0; round < 60; ++round) {
    const ClauseStore store = random_store(random, 7, 40, round % 2 == 0);
    if (!hard_conflict(store).empty()) {
      EXPECT_TRUE(std::isinf(least_cost(store)));
      continue;
    }
    const std::vector<std::uint8_t> values = hard_consequences(store);
    for (std::uint32_t number = 0; number < (1u << store.atoms()); ++number) {
      const std::vector<std::uint8_t> world = world_of(number, store.atoms());
      if (std::isinf(store.score(world))) continue;
      for (std::size_t a = 0; a < values.size(); ++a) {
        if (values[a] == kUndecided) continue;
        EXPECT_EQ(values[a], world[a]);
        ++decided;
      }
    }
  }
  EXPECT_GT(decided, 0);
}

TEST(HardConflict, NothingCanBeLeftOutOfALeastConflict) {
  // x0, x0 => x1, x1 => x2, !x2, and a way from x0 to x2 by x3 and x4, which is longer.
  ClauseStore store;
  for (std::uint64_t key = 0; key < 6; ++key) store.atom(key);
  const std::vector<std::vector<std::uint32_t>> clauses = {{0},    {1, 2}, {3, 4}, {5},
                                                           {1, 6}, {7, 8}, {9, 4}, {0, 10}};
  for (std::vector<std::uint32_t> each : clauses) store.add(each, kHardWeight);
  const std::vector<std::size_t> all = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto each_its_own = [](std::size_t clause) { return clause; };
  const std::vector<std::size_t> least = least_conflict(store, all, each_its_own);
  EXPECT_TRUE(least == (std::vector<std::size_t>{0, 1, 2, 3}) ||
              least == (std::vector<std::size_t>{0, 3, 4, 5, 6}));
  // Rules first: that of clauses 1 and 2 is left out as a whole.
  const auto by_rule = [](std::size_t clause) {
    return clause == 1 || clause == 2 ? 0 : clause + 1;
  };
  EXPECT_EQ(least_conflict(store, all, by_rule), (std::vector<std::size_t>{0, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace croft

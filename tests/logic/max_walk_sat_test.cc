#include "logic/max_walk_sat.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/core/error.h"
#include "logic/ground_walk.h"
#include "logic/hard_conflict.h"
#include "random_store.h"
#include "support/message_of.h"

namespace croft {
namespace {

TEST(GroundWalk, KnowsTheCostOfItsWorldAndOfEveryChange) {
  Random random(5);
  for (int round = 0; round < 60; ++round) {
    const ClauseStore store = random_store(random, 8, 25, round % 2 == 0);
    if (!hard_conflict(store).empty()) continue;
    const UndecidedClauses clauses(store);
    GroundWalk walk(clauses);
    walk.set(world_of(static_cast<std::uint32_t>(random.below(256)), 8));
    if (walk.free_atoms().empty()) continue;
    for (int step = 0; step < 40; ++step) {
      const std::uint32_t atom = walk.free_atoms()[random.below(walk.free_atoms().size())];
      if (!walk.can_flip(atom)) continue;
      const double before = walk.cost(), gain = walk.gain(atom);
      walk.flip(atom);
      // A change of two atoms adds up both as if they shared no clause.
      if (round % 2 != 0) {
        EXPECT_NEAR(walk.cost(), before + gain, 1e-9);
      }
      const double cost = store.cost(walk.values());
      EXPECT_EQ(walk.broken_hard() > 0, std::isinf(cost));
      if (!std::isinf(cost)) {
        EXPECT_NEAR(walk.soft_cost(), cost, 1e-9);
      }
    }
  }
}

TEST(MaxWalkSat, FindsTheLeastCostOfSmallNetworks) {
  Random random(7);
  int found = 0;
  for (int round = 0; round < 50; ++round) {
    const ClauseStore store = random_store(random, 10, 40, round % 2 == 0);
    const double least = least_cost(store);
    if (std::isinf(least)) continue;
    const MaxWalkSatResult result = max_walk_sat(store, {.flips = 4000, .seed = 3});
    ASSERT_EQ(result.broken_hard, 0u);
    EXPECT_NEAR(result.cost, store.cost(result.values), 1e-9);
    EXPECT_NEAR(result.cost, least, 1e-9) << round;
    ++found;
  }
  EXPECT_GT(found, 25);
}

TEST(MaxWalkSat, KeepsMarksOfArguments) {
  // Ten values, exactly one holds; the last one costs least.
  ClauseStore store;
  std::vector<std::uint32_t> block;
  for (std::uint64_t key = 0; key < 10; ++key) block.push_back(store.atom(key));
  store.add_block(block, true);
  for (std::uint32_t a = 0; a < 10; ++a) {
    std::vector<std::uint32_t> never{2 * a + 1};
    store.add(never, 10 - a);
    store.add_base(10 - a, 10 - a);
  }
  const MaxWalkSatResult result = max_walk_sat(store, {.flips = 2000});
  EXPECT_EQ(result.values, world_of(1u << 9, 10));
  EXPECT_NEAR(result.cost, 1, 1e-9);
}

TEST(MaxWalkSat, TheSameSeedIsTheSameWalk) {
  Random random(11);
  const ClauseStore store = random_store(random, 60, 400, false);
  const MaxWalkSatResult first = max_walk_sat(store, {.flips = 5000, .seed = 9});
  const MaxWalkSatResult second = max_walk_sat(store, {.flips = 5000, .seed = 9});
  EXPECT_EQ(first.values, second.values);
  EXPECT_EQ(first.flips_to_best, second.flips_to_best);
}

TEST(MaxWalkSat, EndsWhenItIsTold) {
  Random random(13);
  const ClauseStore store = random_store(random, 60, 400, false);
  const MaxWalkSatResult result =
      max_walk_sat(store, {.flips = 1'000'000}, [](std::size_t, double) { return false; });
  EXPECT_TRUE(result.stopped);
  EXPECT_LT(result.flips, 10'000u);
  EXPECT_EQ(message_of<UsageError>([&] { max_walk_sat(store, {.noise = 2}); }),
            "noise is a number from 0 to 1");
}

}  // namespace
}  // namespace croft

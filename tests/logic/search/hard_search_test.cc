#include "logic/search/hard_search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../random_store.h"

namespace croft {
namespace {

TEST(HardSearch, FindsAnAllowedWorldWhereverThereIsOne) {
  Random random(71);
  int none = 0;
  for (int round = 0; round < 300; ++round) {
    // Clauses of two or three literals, about as many as leave half of the stores a world.
    const auto atoms = static_cast<std::uint32_t>(4 + random.below(7));
    ClauseStore store;
    for (std::uint64_t key = 0; key < atoms; ++key) store.atom(key);
    std::vector<std::uint32_t> literals;
    const auto clauses = 2 * atoms + random.below(3 * atoms);
    for (std::uint64_t i = 0; i < clauses; ++i) {
      literals.clear();
      const auto size = 2 + random.below(2);
      for (std::uint64_t k = 0; k < size; ++k) {
        literals.push_back(static_cast<std::uint32_t>(random.below(2 * atoms)));
      }
      store.add(literals, random.below(5) == 0 ? 1. : kHardWeight);
    }
    const std::uint32_t block[] = {0, 2, 3};
    if (round % 2 == 0) store.add_block(block, random.below(2) == 0);
    const HardSearch found = search_allowed_world(store);
    ASSERT_NE(found.end, HardSearchEnd::given_up);
    ASSERT_EQ(found.end == HardSearchEnd::none, std::isinf(least_cost(store))) << round;
    if (found.end == HardSearchEnd::found) {
      EXPECT_FALSE(std::isinf(store.score(found.values)));
    } else {
      ++none;
    }
  }
  EXPECT_GT(none, 50);
  EXPECT_LT(none, 250);
}

// p pigeons in h holes, each in one at least and no two in one.
ClauseStore pigeons(std::uint32_t pigeons, std::uint32_t holes) {
  ClauseStore store;
  const auto at = [&](std::uint32_t p, std::uint32_t h) { return 2 * store.atom(p * holes + h); };
  std::vector<std::uint32_t> clause;
  for (std::uint32_t p = 0; p < pigeons; ++p) {
    clause.clear();
    for (std::uint32_t h = 0; h < holes; ++h) clause.push_back(at(p, h));
    store.add(clause, kHardWeight);
  }
  for (std::uint32_t h = 0; h < holes; ++h) {
    for (std::uint32_t p = 0; p < pigeons; ++p) {
      for (std::uint32_t q = 0; q < p; ++q) {
        clause = {at(p, h) ^ 1, at(q, h) ^ 1};
        store.add(clause, kHardWeight);
      }
    }
  }
  return store;
}

TEST(HardSearch, KnowsThatPigeonsNeedAHoleEach) {
  EXPECT_EQ(search_allowed_world(pigeons(6, 6)).end, HardSearchEnd::found);
  EXPECT_EQ(search_allowed_world(pigeons(6, 5)).end, HardSearchEnd::none);
  EXPECT_EQ(search_allowed_world(pigeons(12, 11), {.conflicts = 100}).end, HardSearchEnd::given_up);
}

TEST(HardSearch, NamesOnlyGroupsThatTheConflictNeeds) {
  // Two rules say that exactly one of x0, x1 holds, two others that both are the same, and one says
  // something else: no step follows from any of them.
  ClauseStore store;
  for (std::uint64_t key = 0; key < 4; ++key) store.atom(key);
  const std::vector<std::vector<std::uint32_t>> clauses = {{0, 2}, {4, 6}, {1, 3}, {0, 3}, {1, 2}};
  for (std::vector<std::uint32_t> each : clauses) store.add(each, kHardWeight);
  EXPECT_EQ(conflicting_groups(store, [](std::size_t clause) { return clause; }),
            (std::vector<std::size_t>{0, 2, 3, 4}));
}

}  // namespace
}  // namespace croft

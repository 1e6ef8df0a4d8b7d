#include "logic/clause_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "croft/core/random.h"

namespace croft {
namespace {

using Literals = std::vector<std::uint32_t>;

TEST(ClauseStore, EqualClausesAreAddedUpInAnyOrderOfTheirLiterals) {
  ClauseStore store;
  for (std::uint64_t key = 10; key < 13; ++key) store.atom(key);
  Literals first{0, 3, 4}, second{4, 0, 3, 0}, other{0, 2, 4};
  EXPECT_TRUE(store.add(first, 1.5, 7));
  EXPECT_TRUE(store.add(second, 2, 7, 3));
  EXPECT_TRUE(store.add(second, 1, 8));
  EXPECT_TRUE(store.add(other, 1));
  ASSERT_EQ(store.clauses(), 2u);
  EXPECT_EQ(store.weight(0), 4.5);
  EXPECT_EQ(store.merged(), 2u);
  std::vector<std::pair<std::uint32_t, double>> shares;
  store.for_shares(0,
                   [&](std::uint32_t unit, double factor) { shares.emplace_back(unit, factor); });
  EXPECT_EQ(shares, (std::vector<std::pair<std::uint32_t, double>>{{8, 1}, {7, 4}}));
}

TEST(ClauseStore, WhatIsAlwaysTrueIsLeftOutAndWhatIsAlwaysFalseIsABase) {
  ClauseStore store;
  store.atom(0);
  Literals always{0, 1}, never;
  EXPECT_TRUE(store.add(always, 3));
  EXPECT_FALSE(store.add(never, 3));
  EXPECT_FALSE(store.add(never, kHardWeight));
  EXPECT_EQ(store.clauses(), 0u);
  EXPECT_EQ(store.base(), -3);
}

TEST(ClauseStore, AnAtomAndItsNegationAreOneClause) {
  ClauseStore store;
  store.atom(0);
  Literals yes{0}, no{1}, hard{1};
  store.add(yes, 2, 5);
  store.add(no, 3, 6);
  ASSERT_EQ(store.clauses(), 1u);
  EXPECT_EQ(store.score(std::vector<std::uint8_t>{0}), -2);
  EXPECT_EQ(store.score(std::vector<std::uint8_t>{1}), -3);
  std::vector<double> factors;
  store.for_shares(0, [&](std::uint32_t, double factor) { factors.push_back(factor); });
  EXPECT_EQ(factors, (std::vector<double>{-1, 1}));
  store.add(hard, kHardWeight);
  EXPECT_EQ(store.clauses(), 2u);
}

TEST(ClauseStore, HardOnesStayHard) {
  ClauseStore store;
  store.atom(0);
  Literals one{0};
  store.add(one, -2);
  store.add(one, kHardWeight);
  store.add(one, 5);
  EXPECT_TRUE(store.is_hard(0));
  EXPECT_EQ(store.score(std::vector<std::uint8_t>{0}), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(store.score(std::vector<std::uint8_t>{1}), 0);
}

TEST(ClauseStore, ScoresAreThoseOfItsFactorGraph) {
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    ClauseStore store;
    constexpr std::uint32_t kAtoms = 6;
    for (std::uint64_t key = 0; key < kAtoms; ++key) store.atom(key);
    for (int i = 0; i < 12; ++i) {
      Literals literals;
      const auto size = 1 + random.below(4);
      for (std::uint64_t k = 0; k < size; ++k) {
        literals.push_back(static_cast<std::uint32_t>(random.below(2 * kAtoms)));
      }
      store.add(literals, random.below(8) == 0 ? kHardWeight : random.uniform() * 4 - 2);
    }
    const std::uint32_t block[] = {1, 2, 4};
    if (round % 2 == 0) store.add_block(block, round % 4 == 0);
    store.add_base(0.5, 40);
    const FactorGraph graph = graph_of(store);
    for (std::uint32_t world = 0; world < (1u << kAtoms); ++world) {
      std::vector<std::uint8_t> values(kAtoms);
      for (std::uint32_t a = 0; a < kAtoms; ++a) values[a] = world >> a & 1;
      const std::vector<State> states(values.begin(), values.end());
      const double score = store.score(values), other = store.base() + graph.score(states);
      if (std::isinf(score)) {
        EXPECT_EQ(score, other);
      } else {
        EXPECT_NEAR(score, other, 1e-12);
        EXPECT_NEAR(store.cost(values), 40 - score, 1e-12);
      }
    }
  }
}

TEST(ClauseStore, LongClausesAreCountsOfTheirTrueLiterals) {
  ClauseStore store;
  Literals literals;
  for (std::uint32_t a = 0; a < 40; ++a) literals.push_back(2 * store.atom(a) + a % 2);
  store.add(literals, 1.25);
  const FactorGraph graph = graph_of(store);
  std::vector<State> states(40);
  for (std::uint32_t a = 0; a < 40; ++a) states[a] = a % 2;  // every literal is false
  EXPECT_EQ(graph.score(states), -1.25);
  states[7] = 0;
  EXPECT_EQ(graph.score(states), 0);
}

TEST(ClauseStore, ClausesTakeAtMostTwoHundredBytesEach) {
  ClauseStore store;
  Random random(1);
  Literals literals;
  while (store.clauses() < 150'000) {
    literals.clear();
    for (int k = 0; k < 3; ++k) {
      literals.push_back(
          static_cast<std::uint32_t>(2 * store.atom(random.below(30'000)) + random.below(2)));
    }
    store.add(literals, 1, 0);
  }
  EXPECT_LE(store.bytes(), 200 * 150e3);
}

}  // namespace
}  // namespace croft

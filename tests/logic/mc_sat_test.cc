#include "logic/mc_sat.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/core/error.h"
#include "logic/hard_conflict.h"
#include "random_store.h"
#include "support/message_of.h"

namespace croft {
namespace {

std::vector<double> probabilities(const ClauseStore& store) {
  std::vector<double> sums(store.atoms(), 0);
  double total = 0;
  for (std::uint32_t world = 0; world < (1u << store.atoms()); ++world) {
    const double weight = std::exp(store.score(world_of(world, store.atoms())));
    total += weight;
    for (std::size_t a = 0; a < sums.size(); ++a) sums[a] += (world >> a & 1) * weight;
  }
  for (double& each : sums) each /= total;
  return sums;
}

// Of hundreds of estimates none is five standard errors off.
void expect_near(const McSatResult& found, const std::vector<double>& exact) {
  for (std::size_t a = 0; a < exact.size(); ++a) {
    EXPECT_NEAR(found.probabilities[a], exact[a], 5 * found.standard_errors[a] + 1e-3) << a;
  }
}

TEST(McSat, ProbabilitiesAreThoseOfAllWorlds) {
  Random random(17);
  int networks = 0;
  for (int round = 0; round < 20; ++round) {
    const ClauseStore store = random_store(random, 8, 20, round % 2 == 0);
    if (std::isinf(least_cost(store))) continue;
    SCOPED_TRACE(round);
    const McSatResult found = mc_sat(store, {.samples = 4000});
    expect_near(found, probabilities(store));
    EXPECT_TRUE(found.drawn_exactly);
    ++networks;
  }
  EXPECT_GT(networks, 10);
}

TEST(McSat, PartsThatAreDrawnInBlocksAreNotBiased) {
  // A ring of atoms of which no two neighbours are both true, and a mark over three of them.
  ClauseStore store;
  constexpr std::uint32_t kAtoms = 14;
  for (std::uint64_t key = 0; key < kAtoms; ++key) store.atom(key);
  for (std::uint32_t a = 0; a < kAtoms; ++a) {
    std::vector<std::uint32_t> not_both{2 * a + 1, 2 * ((a + 1) % kAtoms) + 1}, one{2 * a};
    store.add(not_both, kHardWeight);
    store.add(one, 0.1 * a);
  }
  const std::uint32_t block[] = {0, 5, 9};
  store.add_block(block, true);
  const McSatResult found = mc_sat(store, {.samples = 20'000});
  EXPECT_FALSE(found.drawn_exactly);
  EXPECT_TRUE(found.converged);
  expect_near(found, probabilities(store));
}

TEST(McSat, ThreadsDoNotChangeTheResult) {
  Random random(19);
  const ClauseStore store = random_store(random, 40, 120, false);
  ASSERT_TRUE(hard_conflict(store).empty());
  const McSatResult one = mc_sat(store, {.samples = 400});
  const McSatResult two = mc_sat(store, {.samples = 400, .threads = 2});
  EXPECT_EQ(one.probabilities, two.probabilities);
  EXPECT_EQ(one.standard_errors, two.standard_errors);
}

TEST(McSat, EndsWhenItIsToldAndNeedsAFewSamples) {
  Random random(19);
  const ClauseStore store = random_store(random, 40, 120, false);
  const auto three_batches = [&](std::size_t samples) { return samples < 300; };
  const McSatResult found = mc_sat(store, {.samples = 800}, three_batches);
  EXPECT_TRUE(found.stopped);
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.samples, 300u);
  // Soon, however many samples were asked for, and with nearly all that were drawn.
  const auto some = [&](std::size_t samples) { return samples < 20'000; };
  const McSatResult many = mc_sat(store, {.samples = 1'000'000'000}, some);
  EXPECT_TRUE(many.stopped);
  EXPECT_GE(many.samples, 16'000u);
  EXPECT_LE(many.samples, 20'000u);
  for (std::uint32_t a = 0; a < store.atoms(); ++a) {
    EXPECT_NEAR(many.probabilities[a], found.probabilities[a], 0.25);
  }
  EXPECT_EQ(message_of<Error>([&] { mc_sat(store, {}, [](std::size_t) { return false; }); }),
            "mc-sat was stopped before it had counted samples");
  EXPECT_EQ(message_of<UsageError>([&] { mc_sat(store, {.samples = 5}); }),
            "mc-sat takes at least 8 samples of each chain: 32");
}

}  // namespace
}  // namespace croft

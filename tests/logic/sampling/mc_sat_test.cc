#include "logic/sampling/mc_sat.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <utility>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "logic/hard_conflict.h"
#include "logic/random_store.h"
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

// None of hundreds of estimates is five standard errors off.
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
    EXPECT_EQ(found.largest_held, 0u);
    ++networks;
  }
  EXPECT_GT(networks, 10);
}

TEST(McSat, PartsOfWhichSomeAtomsAreHeldAreNotBiased) {
  // No two of 14 atoms are both true, but for a few pairs, and a mark over three of them.
  ClauseStore store;
  constexpr std::uint32_t kAtoms = 14;
  for (std::uint64_t key = 0; key < kAtoms; ++key) store.atom(key);
  for (std::uint32_t a = 0; a < kAtoms; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      if ((a + b) % 5 == 0) continue;
      std::vector<std::uint32_t> not_both{2 * a + 1, 2 * b + 1};
      store.add(not_both, kHardWeight);
    }
    std::vector<std::uint32_t> one{2 * a};
    store.add(one, 0.1 * a);
  }
  const std::uint32_t block[] = {0, 5, 9};
  store.add_block(block, false);
  const McSatResult found = mc_sat(store, {.samples = 20'000});
  EXPECT_GT(found.largest_held, 0u);
  EXPECT_TRUE(found.converged);
  expect_near(found, probabilities(store));
}

// Two long chains of hard equivalences, which no change of one atom can turn.
ClauseStore long_chains(double weight) {
  ClauseStore store;
  constexpr std::uint32_t kAtoms = 60;
  for (std::uint64_t key = 0; key < kAtoms; ++key) store.atom(key);
  for (std::uint32_t a = 0; a + 1 < kAtoms; ++a) {
    if (a == kAtoms / 2 - 1) continue;
    std::vector<std::uint32_t> there{2 * a, 2 * a + 3}, back{2 * a + 1, 2 * a + 2};
    store.add(there, kHardWeight);
    store.add(back, kHardWeight);
  }
  std::vector<std::uint32_t> first{0};
  store.add(first, weight);
  return store;
}

TEST(McSat, LongChainsOfHardRulesMoveAsAWhole) {
  const McSatResult found = mc_sat(long_chains(1));
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.probabilities[0], 1 / (1 + std::exp(-1)), 5 * found.standard_errors[0]);
  EXPECT_EQ(found.probabilities[0], found.probabilities[29]);
  EXPECT_NEAR(found.probabilities[45], 0.5, 5 * found.standard_errors[45]);
}

TEST(McSat, MarksMoveHoweverManyValuesTheyHave) {
  ClauseStore store;
  constexpr std::uint32_t kValues = 40;
  std::vector<std::uint32_t> block;
  for (std::uint32_t a = 0; a < kValues; ++a) {
    block.push_back(store.atom(a));
    std::vector<std::uint32_t> one{2 * a};
    store.add(one, a == 3 ? 3 : 0.01 * a);
  }
  store.add_block(block, true);
  double sum = 0;
  for (std::uint32_t a = 0; a < kValues; ++a) sum += std::exp(a == 3 ? 3 : 0.01 * a);
  const McSatResult found = mc_sat(store);
  EXPECT_TRUE(found.converged);
  for (std::uint32_t a = 0; a < kValues; ++a) {
    EXPECT_NEAR(found.probabilities[a], std::exp(a == 3 ? 3 : 0.01 * a) / sum,
                5 * found.standard_errors[a] + 1e-9);
  }
}

// A chain that never leaves where it begins.
class StandingChain final : public WorldChain {
 public:
  StandingChain(std::vector<double> shares, std::size_t held)
      : shares_(std::move(shares)), held_(held) {}
  void step(const StepCheck&) override {}
  const std::vector<double>& shares() const override { return shares_; }
  std::size_t largest_held() const override { return held_; }

 private:
  std::vector<double> shares_;
  std::size_t held_;
};

TEST(McSat, ChainsThatStandStillHaveNoErrorOfZero) {
  for (const std::size_t held : {0, 20}) {
    std::vector<std::unique_ptr<WorldChain>> chains;
    for (const double here : {0., 1., 1., 0.}) {
      chains.push_back(std::make_unique<StandingChain>(std::vector<double>{here, 1, 0.4}, held));
    }
    const std::vector<std::uint8_t> decided(3, kUndecided);
    std::size_t asked = 0;
    const McSatResult found = run_chains(
        chains, decided, {}, [&](std::size_t samples) { return (asked = samples) < 9000; });
    EXPECT_GE(asked, 9000u);  // it goes on as long as it may
    EXPECT_TRUE(found.stopped);
    EXPECT_FALSE(found.converged);
    EXPECT_GT(found.r_hat, 10);
    // Four chains of 0, 1, 1, 0: the standard error of their mean is sqrt((4/4) / (4 * 3)).
    EXPECT_NEAR(found.standard_errors[0], std::sqrt(1. / 12), 1e-9);
    EXPECT_EQ(std::isnan(found.standard_errors[1]), held > 0);
    EXPECT_NEAR(found.standard_errors[2], 0,
                1e-12);  // its probability given all others is the same
  }
}

// Its steps are short at first; then one goes on until it is told to end.
class LongStepChain final : public WorldChain {
 public:
  LongStepChain(int short_steps, std::atomic<bool>& waits) : left_(short_steps), waits_(waits) {}
  void step(const StepCheck& goes_on) override {
    if (left_-- > 0) return;
    waits_ = true;
    while (goes_on()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    throw Interrupted("told");
  }
  const std::vector<double>& shares() const override { return shares_; }
  std::size_t largest_held() const override { return 0; }

 private:
  int left_;
  std::atomic<bool>& waits_;
  std::vector<double> shares_{0.25};
};

// Told to end by the next look after a long step has begun.
McSatResult stopped_in_a_step(int short_steps, std::size_t threads) {
  std::atomic<bool> waits = false;
  std::vector<std::unique_ptr<WorldChain>> chains;
  for (int c = 0; c < 4; ++c) {
    chains.push_back(std::make_unique<LongStepChain>(short_steps + c, waits));
  }
  const std::vector<std::uint8_t> decided(1, kUndecided);
  return run_chains(chains, decided, {.samples = 1'000'000, .burn_in = 10, .threads = threads},
                    [&](std::size_t) { return !waits; });
}

TEST(McSat, AStopIsHeardInTheMidstOfAStepAndWhatThereIsCounts) {
  for (const std::size_t threads : {1, 3}) {
    const McSatResult found = stopped_in_a_step(500, threads);
    EXPECT_TRUE(found.stopped);
    EXPECT_GE(found.samples, 4 * 256u);
    EXPECT_EQ(found.probabilities[0], 0.25);
    // The chains agree, and that they were stopped does not change it.
    EXPECT_TRUE(found.agree);
    EXPECT_TRUE(found.converged);
    // A few samples are enough for an answer, which has not converged.
    const McSatResult few = stopped_in_a_step(15, threads);
    EXPECT_FALSE(few.converged);
    EXPECT_LE(few.samples, 4 * 8u);
    EXPECT_EQ(few.probabilities[0], 0.25);
  }
  EXPECT_EQ(message_of<Error>([] { stopped_in_a_step(5, 1); }),
            "mc-sat was stopped before it had counted samples; give it more --time");
  interruption = true;
  EXPECT_EQ(message_of<Interrupted>([] { stopped_in_a_step(5, 1); }),
            "mc-sat was stopped before it had counted samples");
  interruption = false;
}

TEST(McSat, AtomsThatHardRulesDemandHaveNoErrorWhereOthersAreHeld) {
  // 14 atoms, of which none or all but one hold, which no draw with held atoms can change; beside
  // them P v Q and P v !Q.
  ClauseStore store;
  constexpr std::uint32_t kAtoms = 14;
  for (std::uint64_t key = 0; key < kAtoms + 2; ++key) store.atom(key);
  for (std::uint32_t a = 0; a < kAtoms; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      for (std::uint32_t c = 0; c < kAtoms; ++c) {
        if (c == a || c == b) continue;
        std::vector<std::uint32_t> all{2 * a + 1, 2 * b + 1, 2 * c}, none{2 * a, 2 * b, 2 * c + 1};
        store.add(all, kHardWeight);
        store.add(none, kHardWeight);
      }
    }
  }
  std::vector<std::uint32_t> with{2 * kAtoms, 2 * kAtoms + 2}, without{2 * kAtoms, 2 * kAtoms + 3};
  store.add(with, kHardWeight);
  store.add(without, kHardWeight);
  const McSatResult found = mc_sat(store, {.samples = 400});
  EXPECT_GT(found.largest_held, 0u);
  EXPECT_EQ(found.probabilities[kAtoms], 1);
  EXPECT_EQ(found.standard_errors[kAtoms], 0);
  EXPECT_TRUE(std::isnan(found.standard_errors[0]) || found.standard_errors[0] > 0.2);
  EXPECT_FALSE(found.converged);
}

// Six lamps in a row, each of which is strongly tied to the next one.
ClauseStore tied_lamps() {
  ClauseStore store;
  for (std::uint64_t key = 0; key < 6; ++key) store.atom(key);
  for (std::uint32_t a = 0; a + 1 < 6; ++a) {
    std::vector<std::uint32_t> there{2 * a + 1, 2 * a + 2}, back{2 * a, 2 * a + 3};
    store.add(there, 4);
    store.add(back, 4);
  }
  return store;
}

// Over 40 seeds: how many estimates are three standard errors off; none is four.
int beyond_three(const ClauseStore& store) {
  const std::vector<double> exact = probabilities(store);
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const McSatResult found = mc_sat(store, {.seed = seed});
    EXPECT_TRUE(found.converged);
    for (std::size_t a = 0; a < exact.size(); ++a) {
      const double off = std::abs(found.probabilities[a] - exact[a]) / found.standard_errors[a];
      EXPECT_LT(off, 4) << seed << ' ' << a;
      if (off > 3) ++count;
    }
  }
  return count;
}

TEST(McSat, StandardErrorsCoverWorldsThatWereSeldomMet) {
  // All lamps are off in one of 400 worlds, which 200 effective samples may miss.
  ClauseStore rare = tied_lamps();
  std::vector<std::uint32_t> second{2};
  rare.add(second, 6);
  EXPECT_LE(beyond_three(rare), 2);
  // Each lamp has a switch, so that none moves alone.
  ClauseStore switched = tied_lamps();
  for (std::uint32_t a = 0; a < 6; ++a) {
    const std::uint32_t other = switched.atom(6 + a);
    std::vector<std::uint32_t> there{2 * a + 1, 2 * other}, back{2 * a, 2 * other + 1};
    switched.add(there, kHardWeight);
    switched.add(back, kHardWeight);
  }
  std::vector<std::uint32_t> first{0}, last{2 * 11}, not_both{2 * 1 + 1, 2 * 4 + 1};
  switched.add(first, 0.5);
  switched.add(last, -0.3);
  switched.add(not_both, -6);
  EXPECT_LE(beyond_three(switched), 4);  // a lamp and its switch are one
}

TEST(McSat, AtomsThatStandAloneHaveTheirExactShares) {
  ClauseStore store;
  store.atom(0);
  std::vector<std::uint32_t> one{0};
  store.add(one, 0.7);
  const McSatResult found = mc_sat(store);
  EXPECT_NEAR(found.probabilities[0], 1 / (1 + std::exp(-0.7)), 1e-12);
  EXPECT_NEAR(found.standard_errors[0], 0, 1e-12);
}

TEST(McSat, GoesOnUntilItsChainsAgree) {
  // A strong tie of two groups of atoms, which changes rarely.
  ClauseStore store;
  constexpr std::uint32_t kAtoms = 12;
  for (std::uint64_t key = 0; key < kAtoms; ++key) store.atom(key);
  for (std::uint32_t a = 0; a < kAtoms; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      std::vector<std::uint32_t> there{2 * a, 2 * b + 1}, back{2 * a + 1, 2 * b};
      store.add(there, 0.35);
      store.add(back, 0.35);
    }
  }
  const McSatResult found = mc_sat(store);
  EXPECT_TRUE(found.converged);
  EXPECT_LE(found.r_hat, 1.05);
  EXPECT_GE(found.effective_samples, 200);
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
  EXPECT_GE(found.samples, 300u);
  EXPECT_LT(found.samples, 800u);
  // Soon, however many samples were asked for, and with all that were drawn.
  const auto some = [&](std::size_t samples) { return samples < 20'000; };
  const McSatResult many = mc_sat(store, {.samples = 1'000'000'000}, some);
  EXPECT_TRUE(many.stopped);
  EXPECT_GE(many.samples, 20'000u);
  EXPECT_LE(many.samples, 25'000u);
  for (std::uint32_t a = 0; a < store.atoms(); ++a) {
    EXPECT_NEAR(many.probabilities[a], found.probabilities[a], 0.25);
  }
  EXPECT_EQ(message_of<Error>([&] { mc_sat(store, {}, [](std::size_t) { return false; }); }),
            "mc-sat was stopped before it had counted samples; give it more --time");
  EXPECT_EQ(message_of<UsageError>([&] { mc_sat(store, {.samples = 5}); }),
            "mc-sat takes at least 8 samples of each chain: 32");
}

// Each of 8 pairs has at least one atom, by a clause that no chain breaks, and atoms cost what
// keeps a second one away: no atom moves alone.
TEST(McSat, PairsThatOneClauseTiesChangeTogether) {
  ClauseStore store;
  constexpr std::uint32_t kPairs = 8;
  for (std::uint64_t key = 0; key < 2 * kPairs; ++key) store.atom(key);
  for (std::uint32_t p = 0; p < kPairs; ++p) {
    const std::uint32_t a = 2 * p, b = 2 * p + 1, next = (2 * p + 2) % (2 * kPairs);
    std::vector<std::uint32_t> one{2 * a, 2 * b}, not_both{2 * a + 1, 2 * b + 1};
    std::vector<std::uint32_t> first{2 * a}, with_next{2 * a + 1, 2 * next};
    std::vector<std::uint32_t> three{2 * a, 2 * b + 1, 2 * next};
    store.add(one, p == 0 ? kHardWeight : 25 + p);
    store.add(not_both, p == 1 ? kHardWeight : 12);
    store.add(first, 0.1 * p);
    store.add(with_next, 0.4);
    store.add(three, -0.3);
  }
  const McSatResult found = mc_sat(store);
  EXPECT_TRUE(found.converged);
  expect_near(found, probabilities(store));
}

}  // namespace
}  // namespace croft

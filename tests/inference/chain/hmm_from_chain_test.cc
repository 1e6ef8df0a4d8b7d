// A chain as a product of local probabilities, against enumeration.
#include "inference/chain/hmm_from_chain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/inference/brute_force.h"
#include "support/all_sequences.h"
#include "support/random_chain.h"

namespace croft::hmm_from_chain_test {
namespace {

using testing_support::for_each_sequence;

double probability(const PositionTransitions& local, const std::vector<Label>& y) {
  double p = local.start[y[0]];
  for (std::size_t t = 1; t < y.size(); ++t) p *= local.transition[t](y[t - 1], y[t]);
  return p;
}

ObservedChain random_observed(std::size_t labels, std::size_t observations, double forbidden,
                              bool ends, Random& random) {
  const auto score = [&] { return random.uniform() < forbidden ? -INFINITY : 2 * random.normal(); };
  ObservedChain chain;
  chain.transition.assign(labels, labels, 0.0);
  chain.emission.assign(observations, labels, 0.0);
  for (std::size_t i = 0; i < labels; ++i) {
    for (double& value : chain.transition[i]) value = score();
    if (ends) chain.start.push_back(random.normal());
    if (ends) chain.end.push_back(random.normal());
  }
  for (std::size_t x = 0; x < observations; ++x) {
    for (double& value : chain.emission[x]) value = score();
  }
  return chain;
}

// Of the chain, up to the factor 1/Z.
double weight(const ObservedChain& chain, const std::vector<Label>& x,
              const std::vector<Label>& y) {
  double score = 0;
  for (std::size_t t = 0; t < y.size(); ++t) {
    score += chain.emission(x[t], y[t]);
    if (t > 0) score += chain.transition(y[t - 1], y[t]);
  }
  if (!chain.start.empty()) score += chain.start[y.front()] + chain.end[y.back()];
  return std::exp(score);
}

TEST(LocallyNormalised, ItsProductIsTheProbabilityOfEveryLabelling) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const auto chain = testing_support::random_chain<double>({.length = 1 + random.below(5),
                                                              .labels = 1 + random.below(4),
                                                              .scale = 3,
                                                              .forbidden = seed % 3 == 0 ? 0.2 : 0,
                                                              .overlay = 0.3},
                                                             random);
    const BruteForceResult truth = brute_force(chain.scores);
    const PositionTransitions local = locally_normalised(chain.scores);
    if (truth.log_partition == -INFINITY) {
      EXPECT_EQ(local.log_partition, -INFINITY);
      continue;
    }
    EXPECT_NEAR(local.log_partition, truth.log_partition, 1e-11);
    for_each_sequence(chain.scores.labels(), chain.scores.length(),
                      [&](const std::vector<Label>& y) {
                        const double p = std::exp(score(chain.scores, y) - truth.log_partition);
                        EXPECT_NEAR(probability(local, y), p, 1e-12);
                      });
  }
}

TEST(LocallyNormalised, RowsAreDistributionsHoweverLargeTheScores) {
  Random random(1);
  const auto chain =
      testing_support::random_chain<double>({.length = 2000, .labels = 3, .scale = 1e4}, random);
  const PositionTransitions local = locally_normalised(chain.scores);
  for (std::size_t t = 1; t < 2000; ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto row = local.transition[t][i];
      ASSERT_NEAR(row[0] + row[1] + row[2], 1, 1e-12);
    }
  }
}

TEST(HmmFromChain, ItsPosteriorIsTheChainsForEveryObservation) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const std::size_t labels = 1 + random.below(3), observations = 1 + random.below(3);
    const std::size_t length = 1 + random.below(4);
    const ObservedChain chain = random_observed(labels, observations, 0, seed % 2 == 0, random);
    const PositionHmm hmm = hmm_from_chain(chain, length);
    double all = 0;
    for_each_sequence(observations, length, [&](const std::vector<Label>& x) {
      double z = 0, p_x = 0;
      for_each_sequence(labels, length,
                        [&](const std::vector<Label>& y) { z += weight(chain, x, y); });
      const auto joint = [&](const std::vector<Label>& y) {
        double p = probability(hmm.labels, y);
        for (std::size_t t = 0; t < length; ++t) p *= hmm.emission(x[t], y[t]);
        return p;
      };
      for_each_sequence(labels, length, [&](const std::vector<Label>& y) { p_x += joint(y); });
      for_each_sequence(labels, length, [&](const std::vector<Label>& y) {
        EXPECT_NEAR(joint(y) / p_x, weight(chain, x, y) / z, 1e-11);
      });
      all += p_x;
    });
    EXPECT_NEAR(all, 1, 1e-11) << "it is a distribution of observations, too";
  }
}

TEST(HmmFromChain, WhatTheChainForbidsHasProbability0) {
  Random random(21);
  ObservedChain chain = random_observed(3, 4, 0, false, random);
  chain.transition(0, 1) = -INFINITY;
  for (std::size_t x = 0; x < 4; ++x) chain.emission(x, 2) = -INFINITY;  // label 2 is never emitted
  const PositionHmm hmm = hmm_from_chain(chain, 5);
  for (std::size_t t = 1; t < 5; ++t) {
    EXPECT_EQ(hmm.labels.transition[t](0, 1), 0);
    EXPECT_EQ(hmm.labels.transition[t](0, 2), 0);
  }
  EXPECT_EQ(hmm.labels.start[2], 0);
  EXPECT_EQ(hmm.emission(0, 2), 0);
}

// Up to end effects: the backward vector settles geometrically.
TEST(HmmFromChain, FarFromTheEndTheTransitionsAreTheSameEverywhere) {
  Random random(2);
  const ObservedChain chain = random_observed(3, 5, 0, true, random);
  const PositionHmm hmm = hmm_from_chain(chain, 400);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(hmm.labels.transition[1](i, j), hmm.labels.transition[150](i, j), 1e-9);
    }
  }
  double differs = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    differs += std::abs(hmm.labels.transition[1](i, 0) - hmm.labels.transition[399](i, 0));
  }
  EXPECT_GT(differs, 1e-3);
}

TEST(HmmFromChain, OfLengthZeroThereIsNothing) {
  Random random(3);
  const PositionHmm hmm = hmm_from_chain(random_observed(2, 2, 0, false, random), 0);
  EXPECT_EQ(hmm.labels.log_partition, 0);
  EXPECT_TRUE(hmm.labels.transition.empty());
}

}  // namespace
}  // namespace croft::hmm_from_chain_test

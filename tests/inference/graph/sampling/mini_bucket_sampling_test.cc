#include "inference/graph/sampling/mini_bucket_sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "croft/core/interrupt.h"
#include "croft/inference/graph_brute_force.h"
#include "support/random_graph.h"

namespace croft::mini_bucket_sampling_test {
namespace {

using testing_graphs::random_graph;
using testing_graphs::Shape;

constexpr double kInf = std::numeric_limits<double>::infinity();
const MiniBucketSamplingOptions kSmall{
    .samples = 2000, .particles = 100, .first_states = 1, .table_bytes = 1};

FactorGraph dense(std::uint64_t seed, double zeros) {
  Random random(seed);
  return random_graph({.shape = seed % 2 == 0 ? Shape::complete : Shape::grid,
                       .variables = 9,
                       .most_states = 3,
                       .spread = 1.0,
                       .zeros = zeros},
                      random);
}

TEST(MiniBucketSampling, LogZIsBetweenTheBoundsAndNearTheTruth) {
  double squares = 0, tests = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const FactorGraph graph = dense(seed, seed % 4 == 3 ? 0.15 : 0);
    const double truth = brute_force(graph).log_partition;
    const BoundedSum found = mini_bucket_sampling(graph, kSmall);
    EXPECT_LE(found.least, truth + 1e-9) << seed;
    EXPECT_GE(found.most, truth - 1e-9) << seed;
    EXPECT_GE(found.sum.log_partition, found.least) << seed;
    EXPECT_LE(found.sum.log_partition, found.most) << seed;
    if (found.sum.log_standard_error < 1e-9) continue;
    const double z = (std::exp(found.sum.log_partition - truth) - 1) / found.sum.log_standard_error;
    EXPECT_LT(std::abs(z), 6) << seed;
    squares += z * z;
    ++tests;
  }
  EXPECT_GT(tests, 20);
  EXPECT_LT(squares / tests, 2);
}

TEST(MiniBucketSampling, MarginalsAreThoseOfAllAssignments) {
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const FactorGraph graph = dense(seed, seed % 4 == 3 ? 0.15 : 0);
    const GraphBruteForce all = brute_force(graph);
    const BoundedSum found = mini_bucket_sampling(graph, kSmall);
    for (Variable v = 0; v < graph.variables(); ++v) {
      for (State s = 0; s < graph.states(v); ++s) {
        EXPECT_NEAR(found.sum.marginals[v][s], all.variable[v][s],
                    6 * found.sum.standard_errors[v][s] + 0.01)
            << seed << " " << v;
      }
    }
  }
}

TEST(MiniBucketSampling, WhatNothingIsDividedInIsExact) {
  const FactorGraph graph = dense(1, 0);
  const BoundedSum found = mini_bucket_sampling(graph, {.samples = 100, .marginals = false});
  EXPECT_EQ(found.sum.kind, ResultKind::exact);
  EXPECT_NEAR(found.sum.log_partition, brute_force(graph).log_partition, 1e-9);
}

TEST(MiniBucketSampling, TheSameSeedGivesTheSameNumbers) {
  const FactorGraph graph = dense(2, 0);
  const BoundedSum first = mini_bucket_sampling(graph, kSmall);
  const BoundedSum second = mini_bucket_sampling(graph, kSmall);
  EXPECT_EQ(first.sum.log_partition, second.sum.log_partition);
  EXPECT_EQ(first.sum.marginals, second.sum.marginals);
}

TEST(MiniBucketSampling, NoDrawThatHitsIsNotAnAnswerOfZero) {
  // All different, of fewer states than variables, in pairs: mini-buckets do not see it.
  FactorGraph graph;
  for (int v = 0; v < 6; ++v) graph.add_variable(5);
  std::vector<double> unequal(25, 0);
  for (std::size_t s = 0; s < 5; ++s) unequal[6 * s] = -kInf;
  for (Variable u = 0; u < 6; ++u) {
    for (Variable v = u + 1; v < 6; ++v) graph.add_factor({u, v}, graph.add_table(unequal));
  }
  const BoundedSum found = mini_bucket_sampling(graph, kSmall);
  EXPECT_EQ(found.sum.kind, ResultKind::estimate);
  EXPECT_FALSE(found.sum.convergence.converged);
  EXPECT_TRUE(std::isfinite(found.most));
}

// The run that is stopped may have found an assignment: that bounds log Z, and is not an answer.
TEST(MiniBucketSampling, AnEstimateHasMarginalsWhereverItIsStopped) {
  const FactorGraph graph = dense(1, 0.3);
  MiniBucketSamplingOptions options = kSmall;
  options.marginals = true;
  std::size_t answers = 0, without = 0;
  for (std::size_t most = 0; most < 2000; most += 31) {
    std::size_t asked = 0;
    try {
      const BoundedSum found = mini_bucket_sampling(
          graph, options, [&](const GraphProgress&) { return ++asked < most; });
      if (found.sum.log_partition == -kInf) {
        ++without;
      } else {
        ++answers;
        ASSERT_EQ(found.sum.marginals.size(), graph.variables()) << most;
      }
    } catch (const Interrupted&) {  // before the first mini-buckets
    }
  }
  EXPECT_GT(answers, 0);
  EXPECT_GT(without, 0);
}

TEST(MiniBucketSampling, VariablesMayHaveHundredsOfNeighbours) {
  constexpr Variable kCount = 258;  // each beside all others
  FactorGraph graph;
  for (Variable v = 0; v < kCount; ++v) graph.add_variable(2);
  const PotentialId pair = graph.add_potts(0.002, 0);
  for (Variable u = 0; u < kCount; ++u) {
    for (Variable v = u + 1; v < kCount; ++v) graph.add_factor({u, v}, pair);
  }
  double log_z = -kInf;  // by how many variables are in state 1
  for (int ones = 0; ones <= int{kCount}; ++ones) {
    const double others = kCount - ones;
    const double pairs = (ones * (ones - 1.) + others * (others - 1)) / 2;
    const double each =
        std::lgamma(kCount + 1.) - std::lgamma(ones + 1.) - std::lgamma(others + 1) + 0.002 * pairs;
    const double high = std::max(log_z, each);
    log_z = high + std::log(std::exp(log_z - high) + std::exp(each - high));
  }
  const BoundedSum found = mini_bucket_sampling(
      graph, {.samples = 8, .particles = 2, .first_states = 1, .table_bytes = 1});
  EXPECT_LE(found.least, log_z);
  EXPECT_GE(found.most, log_z);
  EXPECT_NEAR(found.sum.log_partition, log_z, 0.5);
}

}  // namespace
}  // namespace croft::mini_bucket_sampling_test

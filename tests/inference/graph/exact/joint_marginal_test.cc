#include "inference/graph/exact/joint_marginal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/inference/graph_brute_force.h"
#include "support/graph_number.h"

namespace croft::joint_marginal_test {
namespace {

using testing_graphs::graph_number;
using testing_graphs::random_graph;
using testing_graphs::Shape;

// Three variables far apart, in an order of their own.
std::vector<Variable> some_of(const FactorGraph& graph, std::uint64_t seed) {
  const auto n = static_cast<Variable>(graph.variables());
  const auto first = static_cast<Variable>(seed % n);
  return {(first + 2) % n, first, (first + n - 1) % n};
}

double value_of(std::span<const State> x) { return x[0] + 10. * x[1] * x[2] - 3. * x[2]; }

TEST(JointMarginal, AndExpectationAreThoseOverAllAssignments) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const GraphBruteForce all = brute_force(graph);
    Evidence evidence;
    if (seed % 2 == 1) {
      evidence.assign(graph.variables(), kUnobserved);
      evidence[seed % graph.variables()] = all.best[seed % graph.variables()];
    }
    const std::vector<Variable> set = some_of(graph, seed);
    std::vector<long double> expected(
        graph.states(set[0]) * graph.states(set[1]) * graph.states(set[2]), 0);
    long double total = 0, mean = 0;
    for_each_assignment(graph, [&](std::span<const State> x, long double score) {
      for (Variable v = 0; v < evidence.size(); ++v) {
        if (evidence[v] != kUnobserved && x[v] != evidence[v]) return;
      }
      const State states[] = {x[set[0]], x[set[1]], x[set[2]]};
      const long double weight = std::exp(score - static_cast<long double>(all.best_score));
      total += weight;
      mean += weight * value_of(states);
      expected[(states[0] * graph.states(set[1]) + states[1]) * graph.states(set[2]) + states[2]] +=
          weight;
    });
    const std::vector<double> p = joint_marginal(graph, set, {.evidence = evidence});
    ASSERT_EQ(p.size(), expected.size());
    for (std::size_t k = 0; k < p.size(); ++k) {
      EXPECT_NEAR(p[k], static_cast<double>(expected[k] / total), 1e-10) << seed;
    }
    EXPECT_NEAR(expectation(graph, set, value_of, {.evidence = evidence}),
                static_cast<double>(mean / total), 1e-8)
        << seed;
  }
}

TEST(JointMarginal, OfNothingIsOne) {
  EXPECT_EQ(joint_marginal(graph_number(1), {}), std::vector<double>{1});
}

TEST(JointMarginal, WhatItCannotAnswerIsAnError) {
  const FactorGraph graph = graph_number(1);
  const std::vector<Variable> twice{0, 0}, beyond{99}, one{0};
  EXPECT_THROW(joint_marginal(graph, twice), UsageError);
  EXPECT_THROW(joint_marginal(graph, beyond), UsageError);
  EXPECT_THROW(joint_marginal(graph, one, {.evidence = {}, .memory = 10}), Error);
  FactorGraph wide;
  std::vector<Variable> all;
  for (int k = 0; k < 40; ++k) all.push_back(wide.add_variable(2));
  EXPECT_THROW(joint_marginal(wide, all), Error);
  Random random(1);
  const FactorGraph grid =
      random_graph({.shape = Shape::grid, .variables = 256, .most_states = 2}, random);
  EXPECT_THROW(
      joint_marginal(grid, one,
                     {.evidence = {}, .progress = [](const GraphProgress&) { return false; }}),
      Interrupted);
}

}  // namespace
}  // namespace croft::joint_marginal_test

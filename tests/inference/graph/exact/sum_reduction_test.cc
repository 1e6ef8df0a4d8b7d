#include "inference/graph/exact/sum_reduction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "croft/inference/graph_brute_force.h"
#include "croft/inference/junction_tree.h"
#include "support/graph_number.h"

namespace croft::sum_reduction_test {
namespace {

using testing_graphs::graph_number;
using testing_graphs::random_graph;
using testing_graphs::rounding;
using testing_graphs::Shape;

constexpr double kInf = std::numeric_limits<double>::infinity();

// Each variable by a table of probabilities given up to two before it, some of which are 0.
FactorGraph network(Variable variables, std::uint64_t seed) {
  Random random(seed);
  FactorGraph graph;
  for (Variable v = 0; v < variables; ++v) {
    graph.add_variable(2 + random.below(2));
    std::vector<Variable> scope;
    while (v > 0 && scope.size() < std::min<std::size_t>(v, 2)) {
      const auto u = static_cast<Variable>(random.below(v));
      if (std::ranges::find(scope, u) == scope.end()) scope.push_back(u);
    }
    std::size_t rows = 1;
    for (const Variable u : scope) rows *= graph.states(u);
    scope.push_back(v);
    std::vector<double> scores;
    for (std::size_t r = 0; r < rows; ++r) {
      std::vector<double> row(graph.states(v));
      double sum = 0;
      for (double& each : row) sum += each = random.below(4) == 0 ? 0 : 0.1 + random.uniform();
      if (sum == 0) sum = row[0] = 1;
      for (const double each : row) scores.push_back(std::log(each / sum));
    }
    graph.add_factor(scope, graph.add_table(scores));
  }
  return graph;
}

// x_out = x_a and x_b
void add_gate(FactorGraph& graph, Variable a, Variable b, Variable out) {
  std::vector<double> scores(8, -kInf);
  for (const int k : {0, 2, 4, 7}) scores[static_cast<std::size_t>(k)] = 0;
  graph.add_factor({a, b, out}, graph.add_table(scores));
}

TEST(SumReduction, KeepsLogZAndTheMarginalsOfAllVariables) {
  for (std::uint64_t seed = 0; seed < 240; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const GraphBruteForce all = brute_force(graph);
    for (const bool keep : {true, false}) {
      const SumReduction reduced(graph, keep);
      const GraphBruteForce left = brute_force(reduced.graph());
      EXPECT_NEAR(left.log_partition, all.log_partition, rounding(all.log_partition)) << seed;
      if (!std::isfinite(all.log_partition) || reduced.needs_draws()) continue;
      const VariableMarginals p = reduced.marginals(left.variable, {}, {});
      for (Variable v = 0; v < graph.variables(); ++v) {
        for (State s = 0; s < graph.states(v); ++s) {
          EXPECT_NEAR(p[v][s], all.variable[v][s], 1e-9) << seed << " " << v << " " << keep;
        }
      }
    }
  }
}

TEST(SumReduction, MarginalsOfWhatWasSummedOutFollowFromDraws) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const FactorGraph graph =
        random_graph({.shape = Shape::higher_order, .variables = 7, .zeros = 0.2}, random);
    const GraphBruteForce all = brute_force(graph);
    const SumReduction reduced(graph, false);
    JunctionTree tree(reduced.graph(), find_elimination_order(reduced.graph()));
    const auto draws = tree.samples(4000, random);
    const VariableMarginals p =
        reduced.marginals(tree.marginals().variable, draws, std::vector<double>(draws.size(), 1.0));
    for (Variable v = 0; v < graph.variables(); ++v) {
      for (State s = 0; s < graph.states(v); ++s) {
        EXPECT_NEAR(p[v][s], all.variable[v][s], 0.05) << seed << " " << v;
      }
    }
  }
}

TEST(SumReduction, NetworksWithoutEvidenceVanish) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SumReduction reduced(network(300, seed), false);
    EXPECT_EQ(reduced.graph().variables(), 0u) << seed;
    EXPECT_NEAR(brute_force(reduced.graph()).log_partition, 0, 1e-9) << seed;
  }
}

TEST(SumReduction, WhatGatesSayOfAnOutputGoesBackToTheInputs) {
  FactorGraph graph;
  for (int v = 0; v < 7; ++v) graph.add_variable(2);
  add_gate(graph, 0, 1, 4);
  add_gate(graph, 2, 3, 5);
  add_gate(graph, 4, 5, 6);
  graph.add_factor({6}, graph.add_table(std::vector{-kInf, 0.5}));
  const SumReduction reduced(graph, true);
  EXPECT_EQ(reduced.graph().variables(), 0u);
  EXPECT_DOUBLE_EQ(brute_force(reduced.graph()).log_partition, 0.5);
  const VariableMarginals p = reduced.marginals({}, {}, {});
  for (const auto& each : p) EXPECT_EQ(each, (std::vector<double>{0, 1}));
}

TEST(SumReduction, ZerosThatContradictEachOtherAreFound) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_variable(2);
  graph.add_factor({0, 1}, graph.add_table(std::vector{0., -kInf, -kInf, 0.}));
  graph.add_factor({0, 1}, graph.add_table(std::vector{-kInf, 0., 0., -kInf}));
  const SumReduction reduced(graph, true);
  EXPECT_TRUE(reduced.contradiction());
  EXPECT_EQ(brute_force(reduced.graph()).log_partition, -kInf);
}

TEST(SumReduction, FactorsThatAreProductsAreTakenApart) {
  FactorGraph graph;
  for (int v = 0; v < 3; ++v) graph.add_variable(2);
  std::vector<double> scores;
  for (const double a : {0., 1.}) {
    for (const double b : {0.5, -2.}) {
      for (const double c : {3., 0.25}) scores.push_back(a + b + c);
    }
  }
  graph.add_factor({0, 1, 2}, graph.add_table(scores));
  const SumReduction reduced(graph, true);
  for (Factor f = 0; f < reduced.graph().factors(); ++f) {
    EXPECT_LE(reduced.graph().scope(f).size(), 1u);
  }
  EXPECT_NEAR(brute_force(reduced.graph()).log_partition, brute_force(graph).log_partition, 1e-12);
}

}  // namespace
}  // namespace croft::sum_reduction_test

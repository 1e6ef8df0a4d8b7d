#include "inference/graph/search/counting_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "croft/core/error.h"
#include "croft/inference/graph_brute_force.h"
#include "support/graph_number.h"

namespace croft::counting_search_test {
namespace {

using testing_graphs::graph_number;
using testing_graphs::random_graph;
using testing_graphs::rounding;
using testing_graphs::Shape;

constexpr double kInf = std::numeric_limits<double>::infinity();

void compare(const FactorGraph& graph, std::uint64_t seed) {
  const GraphBruteForce all = brute_force(graph);
  const CountingResult found = counting_search(graph, {.marginals = true});
  ASSERT_TRUE(found.finished);
  if (all.log_partition == -kInf) {
    EXPECT_EQ(found.log_partition, -kInf) << seed;
    return;
  }
  EXPECT_NEAR(found.log_partition, all.log_partition, rounding(all.log_partition)) << seed;
  for (Variable v = 0; v < graph.variables(); ++v) {
    for (State s = 0; s < graph.states(v); ++s) {
      EXPECT_NEAR(found.marginals[v][s], all.variable[v][s], 1e-9) << seed << " " << v;
    }
  }
}

// Random clauses of two or three variables, each of which forbids one joint state.
FactorGraph formula(std::uint64_t seed, std::size_t clauses) {
  Random random(seed);
  FactorGraph graph;
  for (int v = 0; v < 12; ++v) graph.add_variable(2 + random.below(4) / 3);
  for (std::size_t k = 0; k < clauses; ++k) {
    std::vector<Variable> scope{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    shuffle(scope, random);
    scope.resize(2 + random.below(2));
    std::size_t size = 1;
    for (const Variable v : scope) size *= graph.states(v);
    std::vector<double> scores(size, 0.25);
    scores[random.below(size)] = -kInf;
    graph.add_factor(scope, graph.add_table(scores));
  }
  return graph;
}

TEST(CountingSearch, AnswersEqualThoseOverAllAssignments) {
  for (std::uint64_t seed = 0; seed < 240; ++seed) compare(graph_number(seed), seed);
}

TEST(CountingSearch, CountsTheModelsOfFormulas) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) compare(formula(seed, 4 + 2 * seed), seed);
}

// Clauses that contradict each other often, among tables with zeros and variables of 2 to 4 states.
FactorGraph contradictory(std::uint64_t seed) {
  Random random(seed);
  FactorGraph graph;
  const auto n = static_cast<Variable>(7 + random.below(2));
  std::vector<Variable> all;
  for (Variable v = 0; v < n; ++v) all.push_back(graph.add_variable(2 + random.below(3) / 2));
  for (std::size_t k = 10 + random.below(40); k-- > 0;) {
    shuffle(all, random);
    const std::vector<Variable> scope(all.begin(), all.begin() + 2 + random.below(3));
    std::size_t size = 1;
    for (const Variable v : scope) size *= graph.states(v);
    std::vector<double> scores(size, 0.25);
    scores[random.below(size)] = -kInf;
    for (double& each : scores) {
      if (seed % 4 == 1 && k % 4 == 0) each = random.below(2) == 0 ? -kInf : random.uniform();
    }
    graph.add_factor(scope, graph.add_table(scores));
  }
  for (Variable v = 0; v < n; ++v) {
    std::vector<double> scores(graph.states(v));
    for (double& each : scores) each = 2 * random.uniform();
    graph.add_factor({v}, graph.add_table(scores));
  }
  return graph;
}

TEST(CountingSearch, LearnedClausesChangeNoSum) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) compare(contradictory(seed), seed);
}

// Clauses of three variables of two states.
FactorGraph clauses_of_three(Variable variables, std::size_t clauses, std::uint64_t seed) {
  Random random(seed);
  FactorGraph graph;
  std::vector<Variable> all;
  for (Variable v = 0; v < variables; ++v) all.push_back(graph.add_variable(2));
  for (std::size_t k = 0; k < clauses; ++k) {
    shuffle(all, random);
    std::vector<double> scores(8, 0);
    scores[random.below(8)] = -kInf;
    graph.add_factor({all[0], all[1], all[2]}, graph.add_table(scores));
  }
  return graph;
}

// Without clauses that are learned this takes 37,589 nodes.
TEST(CountingSearch, LearnsFromContradictions) {
  const CountingResult found = counting_search(clauses_of_three(150, 630, 1), {.max_nodes = 8000});
  ASSERT_TRUE(found.finished);
  EXPECT_NEAR(std::exp(found.log_partition), std::round(std::exp(found.log_partition)), 1e-3);
}

TEST(CountingSearch, VariablesInNoFactorCount) {
  FactorGraph graph;
  for (int v = 0; v < 4; ++v) graph.add_variable(3);
  graph.add_factor({1, 2}, graph.add_table(std::vector{0., 1., -kInf, 2., 0., 0., -kInf, 1., 0.5}));
  compare(graph, 0);
}

TEST(CountingSearch, ALongChainOfEqualNeighboursIsCountedInLinearTime) {
  FactorGraph graph;
  graph.add_variable(2);
  for (Variable v = 1; v < 5000; ++v) {
    graph.add_variable(2);
    graph.add_factor({v - 1, v}, graph.add_table(std::vector{0., -kInf, 0., 0.}));
  }
  const CountingResult found = counting_search(graph);
  EXPECT_NEAR(found.log_partition, std::log(5001), 1e-9);
}

TEST(CountingSearch, StopsWhereItIsToldTo) {
  EXPECT_FALSE(counting_search(formula(1, 12), {.max_nodes = 3}).finished);
  FactorGraph graph;
  graph.add_variable(65);
  EXPECT_THROW(counting_search(graph), Error);
}

}  // namespace
}  // namespace croft::counting_search_test

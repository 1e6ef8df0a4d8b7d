#include "structure/counters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "croft/core/random.h"
#include "croft/inference/graph_brute_force.h"
#include "support/counting_graphs.h"

namespace croft::counters_test {
namespace {

using testing_graphs::for_all;
using testing_graphs::random_counting;

constexpr double kInf = std::numeric_limits<double>::infinity();

// For each assignment of the first variables the scores of all settings of the others.
TEST(Counters, OneSettingOfTheCountersHasTheScoreAndAllOthersNone) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    FactorGraph graph;
    const std::size_t n = 2 + random.below(4);
    std::vector<Variable> scope;
    for (std::size_t k = 0; k < n; ++k) scope.push_back(graph.add_variable(1 + random.below(3)));
    graph.add_factor(scope, random_counting(graph, scope, seed % 2 == 0, random));
    graph.add_factor({scope[0], scope[1]}, graph.add_potts(1, 0.5));
    const PickedGraph picked = with_counters(graph, {.least = 0, .scores_change = seed % 3 == 0});
    const FactorGraph& chain = picked.graph;
    std::vector<std::vector<double>> finite;
    for_all(chain, [&](const std::vector<State>& x) {
      const double score = chain.score(x);
      if (score == -kInf) return;
      finite.push_back({x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n)});
      EXPECT_NEAR(score, graph.score(std::span(x).first(n)), 1e-14);
    });
    std::size_t allowed = 0;
    for_all(graph, [&](const std::vector<State>& x) { allowed += graph.score(x) > -kInf; });
    std::ranges::sort(finite);
    EXPECT_EQ(std::ranges::adjacent_find(finite), finite.end());
    EXPECT_EQ(finite.size(), allowed);
  }
}

TEST(Counters, NewScoresArePicked) {
  FactorGraph graph;
  std::vector<Variable> scope;
  for (int k = 0; k < 8; ++k) scope.push_back(graph.add_variable(2));
  graph.add_factor(scope, graph.add_between(2, 5, 0));
  PickedGraph picked = with_counters(graph, {.scores_change = true});
  ASSERT_GT(picked.graph.variables(), 8u);
  graph.numbers(0)[0] = -kInf;
  graph.numbers(0)[2] = -1;
  picked.pick(graph);
  EXPECT_NEAR(brute_force(picked.graph).log_partition, brute_force(graph).log_partition, 1e-12);
}

TEST(Counters, FactorsOfFewVariablesStayAsTheyAre) {
  FactorGraph graph;
  std::vector<Variable> scope;
  for (int k = 0; k < 40; ++k) scope.push_back(graph.add_variable(2));
  graph.add_factor(scope, graph.add_parity(true));
  graph.add_factor({0, 1, 2}, graph.add_parity(false));
  EXPECT_TRUE(needs_counters(graph));
  const FactorGraph chain = with_counters(graph).graph;
  EXPECT_EQ(chain.variables(), 40u + 38);
  EXPECT_EQ(chain.factors(), 39u + 1);
  for (Factor f = 0; f < chain.factors(); ++f) EXPECT_LE(chain.joint_states(f), 8u);
}

TEST(Counters, AtMostAFewCountsNoFurther) {
  FactorGraph graph;
  std::vector<Variable> scope;
  for (int k = 0; k < 100; ++k) scope.push_back(graph.add_variable(2));
  graph.add_factor(scope, graph.add_at_most(3));
  const FactorGraph chain = with_counters(graph).graph;
  for (Variable v = 100; v < chain.variables(); ++v) EXPECT_LE(chain.states(v), 4u);
}

}  // namespace
}  // namespace croft::counters_test

#include "structure/counters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "support/random_graph.h"

namespace croft::counters_test {
namespace {

using testing_graphs::for_all;

constexpr double kInf = std::numeric_limits<double>::infinity();

// For each assignment of the first variables the scores of all settings of the others.
TEST(Counters, OneSettingOfTheCountersHasTheScoreAndAllOthersNone) {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    FactorGraph graph;
    const std::size_t n = 2 + random.below(5);
    std::vector<Variable> scope;
    for (std::size_t k = 0; k < n; ++k) scope.push_back(graph.add_variable(1 + random.below(2)));
    std::vector<double> scores(n + 1);
    for (double& score : scores) score = random.below(3) == 0 ? -kInf : random.normal();
    switch (round % 3) {
      case 0:
        graph.add_factor(scope, graph.add_cardinality(scores));
        break;
      case 1:
        graph.add_factor(scope, graph.add_at_most(random.below(n + 1), n));
        break;
      default:
        graph.add_factor(scope, graph.add_parity(random.below(2) == 0));
    }
    graph.add_factor({scope[0], scope[1]}, graph.add_potts(1, 0.5));
    const FactorGraph chain = with_counters(graph, 2);
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

TEST(Counters, FactorsOfFewVariablesStayAsTheyAre) {
  FactorGraph graph;
  std::vector<Variable> scope;
  for (int k = 0; k < 40; ++k) scope.push_back(graph.add_variable(2));
  graph.add_factor(scope, graph.add_parity(true));
  graph.add_factor({0, 1, 2}, graph.add_parity(false));
  const FactorGraph chain = with_counters(graph);
  EXPECT_EQ(chain.variables(), 40u + 39);
  EXPECT_EQ(chain.factors(), 39u + 1);
  for (Factor f = 0; f < chain.factors(); ++f) EXPECT_LE(chain.joint_states(f), 8u);
  EXPECT_THROW(with_counters(graph, 1), UsageError);
}

TEST(Counters, AtMostAFewCountsNoFurther) {
  FactorGraph graph;
  std::vector<Variable> scope;
  for (int k = 0; k < 100; ++k) scope.push_back(graph.add_variable(2));
  graph.add_factor(scope, graph.add_at_most(3, 100));
  const FactorGraph chain = with_counters(graph);
  for (Variable v = 100; v < chain.variables(); ++v) EXPECT_LE(chain.states(v), 5u);
}

}  // namespace
}  // namespace croft::counters_test

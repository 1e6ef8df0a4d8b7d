#include "croft/structure/factor_graph.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "croft/core/error.h"
#include "support/random_graph.h"

namespace croft::factor_graph_test {
namespace {

using testing_graphs::for_all;

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(FactorGraph, ScoresByTheLastVariableFastest) {
  FactorGraph graph;
  const Variable a = graph.add_variable(2), b = graph.add_variable(3);
  graph.add_factor({a, b}, graph.add_table(std::vector{0., 1., 2., 3., 4., 5.}));
  graph.add_factor({b, a}, graph.add_table(std::vector{0., 10., 20., 30., 40., 50.}));
  EXPECT_EQ(graph.score(std::vector<State>{1, 2}), 5 + 50);
  EXPECT_EQ(graph.score(std::vector<State>{0, 1}), 1 + 20);
}

TEST(FactorGraph, PotentialsOfEveryKindScoreAsTheirTables) {
  FactorGraph graph;
  const Variable a = graph.add_variable(4), b = graph.add_variable(4);
  std::vector<Variable> bits;
  for (int k = 0; k < 3; ++k) bits.push_back(graph.add_variable(2));
  const Factor potts = graph.add_factor({a, b}, graph.add_potts(1.5, -0.5));
  const Factor linear = graph.add_factor({a, b}, graph.add_truncated_linear(2, 3));
  const Factor quadratic = graph.add_factor({a, b}, graph.add_truncated_quadratic(1, 5));
  const Factor odd = graph.add_factor(bits, graph.add_parity(true));
  const Factor sum = graph.add_factor(bits, graph.add_cardinality(std::vector{1., 2., -kInf, 4.}));
  const Factor most = graph.add_factor(bits, graph.add_at_most(1));
  const Factor sparse = graph.add_factor(
      {a, bits[0]}, graph.add_sparse(std::vector<std::uint64_t>{1, 6}, std::vector{7., 8.}, -1));
  for_all(graph, [&](const std::vector<State>& x) {
    const int i = static_cast<int>(x[a]), j = static_cast<int>(x[b]);
    const auto ones = std::accumulate(x.begin() + 2, x.end(), State{0});
    EXPECT_EQ(graph.factor_score(potts, x), i == j ? 1.5 : -0.5);
    EXPECT_EQ(graph.factor_score(linear, x), -std::min(2. * std::abs(i - j), 3.));
    EXPECT_EQ(graph.factor_score(quadratic, x), -std::min(1. * (i - j) * (i - j), 5.));
    EXPECT_EQ(graph.factor_score(odd, x), ones % 2 == 1 ? 0 : -kInf);
    EXPECT_EQ(graph.factor_score(sum, x), (std::vector{1., 2., -kInf, 4.})[ones]);
    EXPECT_EQ(graph.factor_score(most, x), ones <= 1 ? 0 : -kInf);
    const auto joint = 2 * x[a] + x[bits[0]];
    EXPECT_EQ(graph.factor_score(sparse, x), joint == 1 ? 7 : joint == 6 ? 8 : -1);
    for (Factor f = 0; f < graph.factors(); ++f) {
      std::size_t at = 0;
      for (const Variable v : graph.scope(f)) at = at * graph.states(v) + x[v];
      EXPECT_EQ(graph.table(f)[at], graph.factor_score(f, x));
    }
  });
}

TEST(FactorGraph, ConditionedItScoresTheSameAssignmentsTheSame) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    FactorGraph graph = testing_graphs::random_graph(
        {.shape = testing_graphs::Shape::higher_order, .variables = 5, .zeros = 0.2}, random);
    std::vector<Variable> bits;
    for (int k = 0; k < 3; ++k) bits.push_back(graph.add_variable(2));
    graph.add_factor(bits, graph.add_parity(round % 2 == 0));
    graph.add_factor(bits, graph.add_cardinality(std::vector{1., 2., 3., 4.}));
    graph.add_factor({bits[0], 0}, graph.add_potts(1, 2));
    graph.add_factor({1, bits[1]}, graph.add_truncated_linear(1, 1.5));
    graph.add_factor({bits[2], 2}, graph.add_sparse(std::vector<std::uint64_t>{0, 2, 3},
                                                    std::vector{.1, .2, .3}, -kInf));
    Evidence evidence(graph.variables(), kUnobserved);
    for (Variable v = 0; v < graph.variables(); ++v) {
      if (random.below(2) == 0) evidence[v] = static_cast<State>(random.below(graph.states(v)));
    }
    const FactorGraph sliced = condition(graph, evidence);
    ASSERT_EQ(sliced.variables(), graph.variables());
    ASSERT_EQ(sliced.factors(), graph.factors());
    for_all(sliced, [&](const std::vector<State>& x) {
      std::vector<State> whole = x;
      for (Variable v = 0; v < whole.size(); ++v) {
        if (evidence[v] != kUnobserved) whole[v] = evidence[v];
      }
      EXPECT_EQ(sliced.score(x), graph.score(whole));
    });
  }
}

TEST(FactorGraph, ListsTheFactorsOfAVariable) {
  FactorGraph graph;
  for (int k = 0; k < 3; ++k) graph.add_variable(2);
  const PotentialId pair = graph.add_potts(1, 0);
  graph.add_factor({0, 1}, pair);
  graph.add_factor({1, 2}, pair);
  const FactorLists lists(graph);
  EXPECT_EQ(std::vector<Factor>(lists.of(1).begin(), lists.of(1).end()),
            (std::vector<Factor>{0, 1}));
  EXPECT_EQ(lists.of(2).size(), 1u);
}

TEST(FactorGraph, RefusesWhatDoesNotFit) {
  FactorGraph graph;
  const Variable a = graph.add_variable(2), b = graph.add_variable(3);
  EXPECT_THROW(graph.add_variable(0), UsageError);
  EXPECT_THROW(graph.add_table(std::vector{0., kInf}), UsageError);
  EXPECT_THROW(graph.add_table(std::vector{0., std::nan("")}), UsageError);
  EXPECT_THROW(graph.add_table(std::vector{0., 1e301}), UsageError);
  EXPECT_THROW(graph.add_table(std::vector{0., -1e301}), UsageError);
  const PotentialId table = graph.add_table(std::vector{0., 1.});
  EXPECT_THROW(graph.add_factor({a, b}, table), UsageError);
  EXPECT_THROW(graph.add_factor({a, a}, table), UsageError);
  EXPECT_THROW(graph.add_factor({7}, table), UsageError);
  EXPECT_THROW(graph.add_factor({a, b}, graph.add_parity(true)), UsageError);
  EXPECT_THROW(graph.add_factor({a}, graph.add_potts(0, 1)), UsageError);
  EXPECT_THROW(graph.add_sparse(std::vector<std::uint64_t>{2, 1}, std::vector{0., 0.}, 0),
               UsageError);
  EXPECT_THROW(condition(graph, std::vector<State>{2, 0}), UsageError);
  EXPECT_THROW(condition(graph, std::vector<State>{0}), UsageError);
}

TEST(FactorGraph, TheNearestVariablesAreThoseOfAWalkBreadthFirst) {
  FactorGraph graph;  // a ring of 6, and one alone
  for (int v = 0; v < 7; ++v) graph.add_variable(2);
  const PotentialId same = graph.add_potts(0, 1);
  for (Variable v = 0; v < 6; ++v) graph.add_factor({v, (v + 1) % 6}, same);
  const FactorLists factors(graph);
  const auto near = [&](Variable from, std::size_t distance, std::size_t most) {
    std::vector<Variable> found = nearest_variables(graph, factors, from, distance, most);
    EXPECT_EQ(found.at(0), from);
    std::ranges::sort(found);
    return found;
  };
  EXPECT_EQ(near(2, 0, 9), (std::vector<Variable>{2}));
  EXPECT_EQ(near(2, 1, 9), (std::vector<Variable>{1, 2, 3}));
  EXPECT_EQ(near(2, 2, 9), (std::vector<Variable>{0, 1, 2, 3, 4}));
  EXPECT_EQ(near(2, 9, 9), (std::vector<Variable>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(near(2, 9, 3), (std::vector<Variable>{1, 2, 3}));
  EXPECT_EQ(near(6, 9, 9), (std::vector<Variable>{6}));
}

// In time that grows with the scope, not with its square.
TEST(FactorGraph, AScopeOfVeryManyVariablesIsCheckedToo) {
  FactorGraph graph;
  std::vector<Variable> scope;
  for (int v = 0; v < 1000000; ++v) scope.push_back(graph.add_variable(2));
  const PotentialId even = graph.add_parity(false);
  graph.add_factor(scope, even);
  EXPECT_EQ(graph.score(std::vector<State>(scope.size(), 1)), 0);
  scope.back() = 7;
  EXPECT_THROW(graph.add_factor(scope, even), UsageError);
}

TEST(FactorGraph, ScoresUpToTheLimitAddUpToNumbersAndLargerOnesAreErrors) {
  FactorGraph graph;
  const Variable v = graph.add_variable(2);
  const PotentialId most = graph.add_table(std::vector{1e300, -1e300});
  for (int k = 0; k < 1000; ++k) graph.add_factor({v}, most);
  EXPECT_NEAR(graph.score(std::vector<State>{0}) / 1e303, 1, 1e-12);
  EXPECT_NEAR(graph.score(std::vector<State>{1}) / 1e303, -1, 1e-12);
  for (const double beyond : {1.1e300, -1.1e300, std::numeric_limits<double>::max(), kInf}) {
    EXPECT_THROW(graph.add_table(std::vector{beyond, 0.}), UsageError);
    EXPECT_THROW(graph.add_potts(0, beyond), UsageError);
    EXPECT_THROW(graph.add_cardinality(std::vector{0., beyond}), UsageError);
  }
}

}  // namespace
}  // namespace croft::factor_graph_test

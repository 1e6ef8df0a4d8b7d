#include "croft/inference/graph_brute_force.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/random_graph.h"

namespace croft::graph_brute_force_test {
namespace {

TEST(GraphBruteForce, FindsTheSumsOfAGraphThatCanBeDoneByHand) {
  FactorGraph graph;
  const Variable a = graph.add_variable(2), b = graph.add_variable(2);
  graph.add_factor({a}, graph.add_table(std::vector{std::log(1.), std::log(3.)}));
  graph.add_factor(
      {a, b}, graph.add_table(std::vector{std::log(2.), std::log(1.), std::log(1.), std::log(4.)}));
  const GraphBruteForce all = brute_force(graph);  // weights 2, 1, 3, 12
  EXPECT_NEAR(all.log_partition, std::log(18.), 1e-14);
  EXPECT_NEAR(all.variable[a][1], 15. / 18, 1e-14);
  EXPECT_NEAR(all.variable[b][1], 13. / 18, 1e-14);
  EXPECT_NEAR(all.factor[1][2], 3. / 18, 1e-14);
  EXPECT_EQ(all.best, (std::vector<State>{1, 1}));
  EXPECT_NEAR(all.best_score, std::log(12.), 1e-14);
}

TEST(GraphBruteForce, AGraphWithoutAnAllowedAssignmentHasNoSums) {
  FactorGraph graph;
  const Variable a = graph.add_variable(2);
  const double inf = std::numeric_limits<double>::infinity();
  graph.add_factor({a}, graph.add_table(std::vector{-inf, 0.}));
  graph.add_factor({a}, graph.add_table(std::vector{0., -inf}));
  const GraphBruteForce all = brute_force(graph);
  EXPECT_EQ(all.log_partition, -inf);
  EXPECT_TRUE(all.best.empty());
  EXPECT_TRUE(all.variable.empty());
}

}  // namespace
}  // namespace croft::graph_brute_force_test

#include "inference/graph/allowed_assignment.h"

#include <gtest/gtest.h>

#include <limits>

#include "croft/inference/graph_brute_force.h"
#include "support/random_graph.h"

namespace croft::allowed_assignment_test {
namespace {

using testing_graphs::Shape;
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(AllowedAssignment, IsFoundOrRuledOutAsAnEnumerationSays) {
  std::size_t none = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    FactorGraph graph = testing_graphs::random_graph(
        {.shape = seed % 2 == 0 ? Shape::complete : Shape::higher_order,
         .variables = 6,
         .most_states = 3,
         .spread = 1,
         .zeros = 0.6},
        random);
    // One more factor, which may forbid what was left.
    std::vector<double> last(graph.states(0) * graph.states(1), -kInf);
    last[random.below(last.size())] = 0;
    graph.add_factor({0, 1}, graph.add_table(last));
    const bool any = !brute_force(graph).best.empty();
    const AllowedAssignment found = find_allowed(graph, random);
    EXPECT_EQ(found.outcome, any ? AllowedSearch::found : AllowedSearch::none) << seed;
    if (!found.states.empty()) {
      EXPECT_GT(graph.score(found.states), -kInf);
    }
    none += any ? 0 : 1;
  }
  EXPECT_GT(none, 20u);
}

TEST(AllowedAssignment, SolvesAChainOfParities) {
  FactorGraph graph;
  Random random(1);
  for (int v = 0; v < 200; ++v) graph.add_variable(2);
  for (Variable v = 0; v + 2 < 200; ++v) {
    graph.add_factor({v, v + 1, v + 2}, graph.add_parity(v % 3 == 0));
  }
  const AllowedAssignment found = find_allowed(graph, random);
  ASSERT_EQ(found.outcome, AllowedSearch::found);
  EXPECT_EQ(graph.score(found.states), 0);
}

// 10^18 joint states, of which three are allowed by themselves, and one by the others' factors.
TEST(AllowedAssignment, IsFoundAmongTheFewThatASparseFactorLists) {
  FactorGraph graph;
  std::vector<Variable> scope;
  for (int k = 0; k < 18; ++k) scope.push_back(graph.add_variable(10));
  const std::vector<std::uint64_t> listed{123456789012345678, 345678901234567890,
                                          999999999999999999};
  graph.add_factor(scope, graph.add_sparse(listed, std::vector{0., 0., 0.}, -kInf));
  std::vector<double> first(10, 0);
  first[1] = first[9] = -kInf;
  graph.add_factor({0}, graph.add_table(first));
  Random random(1);
  const AllowedAssignment found = find_allowed(graph, random);
  ASSERT_EQ(found.outcome, AllowedSearch::found);
  EXPECT_EQ(found.states,
            (std::vector<State>{3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0}));
  first[3] = -kInf;
  graph.add_factor({0}, graph.add_table(first));
  EXPECT_EQ(find_allowed(graph, random).outcome, AllowedSearch::none);
}

}  // namespace
}  // namespace croft::allowed_assignment_test

#include "inference/allowed_assignment.h"

#include <gtest/gtest.h>

#include <limits>

#include "croft/inference/graph_brute_force.h"
#include "support/random_graph.h"

namespace croft {
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

}  // namespace
}  // namespace croft

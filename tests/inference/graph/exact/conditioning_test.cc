#include "inference/graph/exact/conditioning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "croft/core/error.h"
#include "croft/inference/graph_brute_force.h"
#include "support/graph_number.h"

namespace croft::conditioning_test {
namespace {

using testing_graphs::graph_number;
using testing_graphs::random_graph;
using testing_graphs::rounding;
using testing_graphs::Shape;

constexpr double kInf = std::numeric_limits<double>::infinity();

// Limits down to a small share of what the junction tree takes.
ConditioningPlan plan_number(const FactorGraph& graph, std::uint64_t seed) {
  const double all = JunctionTree(graph, find_elimination_order(graph)).bytes();
  const double share[] = {1.5, 0.5, 0.2, 0.05};
  ConditioningOptions options{.memory = std::max(64.0, all * share[seed % 4]), .seed = seed};
  const ConditioningPlan plan = plan_conditioning(graph, options);
  EXPECT_LE(plan.bytes, options.memory);
  return plan;
}

TEST(Conditioning, SumsMarginalsAndTheBestEqualThoseOverAllAssignments) {
  std::size_t cut = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const GraphBruteForce all = brute_force(graph);
    const ConditioningPlan plan = plan_number(graph, seed);
    cut += plan.cutset.empty() ? 0 : 1;
    const ConditionedSum sum = conditioned_log_partition(graph, plan);
    EXPECT_EQ(sum.kind, ResultKind::exact);
    EXPECT_NEAR(sum.log_partition, all.log_partition, rounding(all.log_partition)) << seed;
    EXPECT_NEAR(static_cast<double>(sum.convergence.iterations), std::exp2(plan.log2_cutset), 1e-6);
    const ConditionedMarginals found = conditioned_marginals(graph, plan);
    EXPECT_NEAR(found.sum.log_partition, all.log_partition, rounding(all.log_partition));
    for (Variable v = 0; v < graph.variables(); ++v) {
      for (State s = 0; s < graph.states(v); ++s) {
        EXPECT_NEAR(found.variable[v][s], all.variable[v][s], 1e-10) << seed << " " << v;
      }
    }
    const MapResult best = conditioned_best(graph, plan);
    EXPECT_EQ(best.kind, ResultKind::exact);
    EXPECT_NEAR(best.score, all.best_score, rounding(all.best_score)) << seed;
    EXPECT_EQ(best.score, graph.score(best.states));
  }
  EXPECT_GT(cut, 150u);
}

TEST(Conditioning, EqualsTheJunctionTreeOfAGridThatCannotBeEnumerated) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph(
        {.shape = Shape::grid, .variables = 64, .most_states = 2, .spread = 1}, random);
    JunctionTree tree(graph, find_elimination_order(graph));
    const ConditioningPlan plan = plan_conditioning(graph, {.memory = tree.bytes() / 8});
    EXPECT_FALSE(plan.cutset.empty());
    EXPECT_LE(plan.bytes, tree.bytes() / 8);
    EXPECT_NEAR(conditioned_log_partition(graph, plan).log_partition, tree.log_partition(), 1e-9);
  }
}

TEST(Conditioning, StoppedEarlyItHasALowerBound) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const GraphBruteForce all = brute_force(graph);
    const ConditioningPlan plan = plan_number(graph, seed);
    const GraphCallback two = [](const GraphProgress& now) { return now.iteration < 2; };
    const ConditionedSum sum = conditioned_log_partition(graph, plan, two);
    EXPECT_LE(sum.log_partition, all.log_partition + rounding(all.log_partition)) << seed;
    EXPECT_EQ(sum.kind == ResultKind::exact, plan.log2_cutset <= 1) << seed;
    const MapResult best = conditioned_best(graph, plan, two);
    EXPECT_LE(best.score, all.best_score + rounding(all.best_score));
    EXPECT_GE(best.bound, all.best_score - rounding(all.best_score));
  }
}

TEST(Conditioning, StopsWithinAJunctionTree) {
  Random random(4);
  const FactorGraph graph =
      random_graph({.shape = Shape::grid, .variables = 400, .most_states = 2, .spread = 1}, random);
  const ConditioningPlan plan = plan_conditioning(graph, {.memory = 8 << 20});
  std::size_t asked = 0;
  const GraphCallback stop = [&](const GraphProgress&) { return ++asked < 3; };
  const ConditionedSum sum = conditioned_log_partition(graph, plan, stop);
  EXPECT_EQ(asked, 3u);
  EXPECT_EQ(sum.convergence.iterations, 0u);
  EXPECT_EQ(sum.kind, ResultKind::lower_bound);
  EXPECT_EQ(sum.log_partition, -kInf);
}

TEST(Conditioning, WithoutAnAllowedAssignmentItSaysSo) {
  FactorGraph graph;
  const Variable a = graph.add_variable(2), b = graph.add_variable(2);
  graph.add_factor({a, b}, graph.add_table(std::vector{-kInf, 0., 0., -kInf}));
  graph.add_factor({a, b}, graph.add_table(std::vector{0., -kInf, -kInf, 0.}));
  const ConditioningPlan plan = plan_conditioning(graph, {.memory = 40});
  EXPECT_EQ(conditioned_log_partition(graph, plan).log_partition, -kInf);
  EXPECT_THROW(conditioned_marginals(graph, plan), Error);
  const MapResult best = conditioned_best(graph, plan);
  EXPECT_TRUE(best.states.empty());
  EXPECT_EQ(best.kind, ResultKind::exact);
}

TEST(Conditioning, OptionsThatAllowNothingAreErrors) {
  const FactorGraph graph = graph_number(1);
  EXPECT_THROW(plan_conditioning(graph, {.memory = 0}), UsageError);
  EXPECT_THROW(plan_conditioning(graph, {.restarts = 0}), UsageError);
}

}  // namespace
}  // namespace croft::conditioning_test

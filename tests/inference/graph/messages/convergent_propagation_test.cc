#include "inference/graph/messages/convergent_propagation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "croft/core/error.h"
#include "croft/inference/belief_propagation.h"
#include "croft/inference/graph_brute_force.h"
#include "support/random_graph.h"

namespace croft::convergent_propagation_test {
namespace {

using testing_graphs::random_graph;
using testing_graphs::Shape;

constexpr double kInf = std::numeric_limits<double>::infinity();

FactorGraph loopy(std::uint64_t seed, double spread, double zeros = 0) {
  Random random(seed);
  const Shape shapes[] = {Shape::grid, Shape::complete, Shape::higher_order};
  return random_graph({.shape = shapes[seed % 3],
                       .variables = 4 + seed % 4,
                       .most_states = 2 + seed % 2,
                       .spread = spread,
                       .zeros = zeros},
                      random);
}

TEST(ConvergentPropagation, ReachesTheFixedPointOfBeliefPropagation) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = loopy(seed, 0.4, seed % 4 == 0 ? 0.1 : 0);
    SumProduct bp(graph, {.tolerance = 1e-12});
    if (!bp.run().converged) continue;
    const DoubleLoopResult result = convergent_propagation(graph, {.tolerance = 1e-11});
    ASSERT_TRUE(result.convergence.converged) << seed;
    EXPECT_NEAR(result.log_partition, bp.log_partition(), 1e-6) << seed;
    for (Variable v = 0; v < graph.variables(); ++v) {
      EXPECT_NEAR(result.beliefs[v][0], bp.belief(v)[0], 1e-6) << seed;
    }
    ++compared;
  }
  EXPECT_GT(compared, 180u);
}

TEST(ConvergentPropagation, ConvergesAndNeverFalls) {
  std::size_t oscillated = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph({.shape = seed % 2 == 0 ? Shape::complete : Shape::grid,
                                            .variables = 5 + seed % 5,
                                            .most_states = 2,
                                            .spread = 2.5},
                                           random);
    SumProduct bp(graph, {.schedule = MessageSchedule::parallel, .max_iterations = 300});
    oscillated += !bp.run().converged;
    double last = -kInf;
    const DoubleLoopResult result = convergent_propagation(
        graph, {.tolerance = 1e-8, .max_iterations = 3000, .inner_iterations = 2000},
        [&](const GraphProgress& now) {
          EXPECT_GE(*now.value, last - 1e-6 * std::max(1.0, std::abs(last))) << seed;
          last = *now.value;
          return true;
        });
    EXPECT_TRUE(result.convergence.converged) << seed;
  }
  EXPECT_GT(oscillated, 5u);  // where messages alone do not converge
}

TEST(ConvergentPropagation, IsExactOnForests) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph({.shape = seed % 2 == 0 ? Shape::tree : Shape::pieces,
                                            .variables = 2 + seed % 6,
                                            .most_states = 2 + seed % 2,
                                            .spread = 1,
                                            .zeros = seed % 3 == 0 ? 0.3 : 0},
                                           random);
    const GraphBruteForce all = brute_force(graph);
    const DoubleLoopResult result = convergent_propagation(graph, {.tolerance = 1e-12});
    EXPECT_EQ(result.kind, ResultKind::exact);
    EXPECT_NEAR(result.log_partition, all.log_partition, 1e-7) << seed;
    for (Variable v = 0; v < graph.variables(); ++v) {
      EXPECT_NEAR(result.beliefs[v][0], all.variable[v][0], 1e-7) << seed;
    }
  }
}

// In the first sweep no belief changes: what the last variable knows is still on its way.
TEST(ConvergentPropagation, DoesNotEndBeforeWhatIsSentHasArrived) {
  FactorGraph graph;
  for (int v = 0; v < 4; ++v) graph.add_variable(2);
  const PotentialId equal = graph.add_potts(1, 0);
  for (Variable v = 0; v < 3; ++v) graph.add_factor({v, v + 1}, equal);
  graph.add_factor({3}, graph.add_table(std::vector{0., 2.}));
  const GraphBruteForce all = brute_force(graph);
  for (const std::size_t inner : {1, 2, 100}) {
    const DoubleLoopResult result =
        convergent_propagation(graph, {.tolerance = 1e-10, .inner_iterations = inner});
    EXPECT_TRUE(result.convergence.converged);
    EXPECT_NEAR(result.log_partition, all.log_partition, 1e-8) << inner;
    for (Variable v = 0; v < 4; ++v) EXPECT_NEAR(result.beliefs[v][0], all.variable[v][0], 1e-8);
  }
}

// Beliefs of 0 and 1 stand still while their scores still move.
TEST(ConvergentPropagation, IsExactOnForestsWithLargeScores) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph({.shape = seed % 2 == 0 ? Shape::star : Shape::pieces,
                                            .variables = 2 + seed % 7,
                                            .spread = 1e5,
                                            .zeros = seed % 3 == 0 ? 0.3 : 0},
                                           random);
    const DoubleLoopResult result = convergent_propagation(graph);
    ASSERT_EQ(result.kind, ResultKind::exact) << seed;
    const double expected = brute_force(graph).log_partition;
    EXPECT_NEAR(result.log_partition, expected, 1e-9 * std::abs(expected)) << seed;
  }
}

TEST(ConvergentPropagation, TellsAContradiction) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_variable(2);
  graph.add_factor({0, 1}, graph.add_table(std::vector{-kInf, 0., 0., -kInf}));
  graph.add_factor({0}, graph.add_table(std::vector{0., -kInf}));
  graph.add_factor({1}, graph.add_table(std::vector{0., -kInf}));
  const DoubleLoopResult result = convergent_propagation(graph);
  EXPECT_TRUE(result.contradiction);
  EXPECT_EQ(result.kind, ResultKind::exact);
  EXPECT_EQ(result.log_partition, -kInf);
  EXPECT_TRUE(result.beliefs.empty());
}

TEST(ConvergentPropagation, ChecksItsOptions) {
  const FactorGraph graph = loopy(1, 1);
  EXPECT_THROW(convergent_propagation(graph, {.tolerance = 0}), UsageError);
  EXPECT_THROW(convergent_propagation(graph, {.max_iterations = 0}), UsageError);
  EXPECT_THROW(convergent_propagation(graph, {.inner_iterations = 0}), UsageError);
}

}  // namespace
}  // namespace croft::convergent_propagation_test

#include "croft/inference/tree_reweighted.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "croft/core/error.h"
#include "croft/inference/belief_propagation.h"
#include "croft/inference/graph_brute_force.h"
#include "support/graph_number.h"

namespace croft::tree_reweighted_test {
namespace {

using testing_graphs::random_graph;
using testing_graphs::rounding;
using testing_graphs::Shape;

constexpr double kInf = std::numeric_limits<double>::infinity();

FactorGraph pairwise_number(std::uint64_t seed) {
  return testing_graphs::graph_number(
      seed, {.shapes = {Shape::grid, Shape::complete, Shape::tree, Shape::pieces, Shape::star},
             .spreads = {0.5, 2, 10, 400},
             .of = 3,
             .no_unary_every = 7});
}

TEST(TreeReweighted, BoundsLogZFromAboveAtEveryIteration) {
  std::size_t tight = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const FactorGraph graph = pairwise_number(seed);
    const double log_z = brute_force(graph).log_partition;
    TreeReweighted trw(graph, {.damping = seed % 2 == 0 ? 0.0 : 0.5,
                               .max_iterations = 40,
                               .trees = 1 + seed % 6,
                               .tree_steps = seed % 4,
                               .seed = seed});
    EXPECT_GE(trw.bound(), log_z - rounding(log_z)) << seed << " at first";
    double last = trw.bound();
    trw.run([&](const GraphProgress& progress) {
      EXPECT_GE(*progress.value, log_z - rounding(log_z)) << seed << " " << progress.iteration;
      EXPECT_LE(*progress.value, last);
      last = *progress.value;
      return true;
    });
    ASSERT_FALSE(trw.contradiction()) << seed;
    EXPECT_GE(trw.bound(), log_z - rounding(log_z));
    tight += trw.bound() < log_z + 1e-6 * std::max(1.0, std::abs(log_z));
  }
  EXPECT_GT(tight, 200u);  // forests, and graphs of which one assignment has nearly all weight
}

TEST(TreeReweighted, IsExactOnForests) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph({.shape = seed % 2 == 0 ? Shape::tree : Shape::pieces,
                                            .variables = 2 + seed % 7,
                                            .most_states = 2 + seed % 3,
                                            .spread = seed % 5 == 0 ? 300.0 : 2.0,
                                            .zeros = seed % 3 == 0 ? 0.3 : 0},
                                           random);
    const GraphBruteForce all = brute_force(graph);
    TreeReweighted trw(graph);
    EXPECT_TRUE(trw.run().converged);
    EXPECT_EQ(trw.kind(), ResultKind::exact);
    EXPECT_NEAR(trw.bound(), all.log_partition, rounding(all.log_partition)) << seed;
    const VariableMarginals p = trw.beliefs();
    for (Variable v = 0; v < graph.variables(); ++v) {
      for (State x = 0; x < graph.states(v); ++x) {
        EXPECT_NEAR(p[v][x], all.variable[v][x], 1e-9) << seed;
      }
    }
  }
}

TEST(TreeReweighted, AtItsFixedPointAllTreesAgree) {
  // The bound is then the free energy of the beliefs, whose weights fractional propagation shares.
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    FactorGraph graph;
    for (int k = 0; k < 3; ++k) graph.add_variable(2 + seed % 2);
    for (Variable v = 0; v < 3; ++v) {
      const std::size_t states = graph.states(v);
      std::vector<double> own(states), pair(states * states);
      for (double& each : own) each = random.normal();
      for (double& each : pair) each = random.normal();
      graph.add_factor({v}, graph.add_table(own));
      graph.add_factor({v, (v + 1) % 3}, graph.add_table(pair));
    }
    TreeReweighted trw(graph, {.trees = 3, .seed = seed});  // each edge in two of three
    for (Factor f = 1; f < 6; f += 2) {
      ASSERT_NEAR(trw.edge_probabilities()[f], 2.0 / 3, 1e-12);
    }
    ASSERT_TRUE(trw.run().converged);
    const FractionalResult fractional = fractional_propagation(graph, {.weight = 2.0 / 3});
    ASSERT_TRUE(fractional.convergence.converged);
    EXPECT_NEAR(trw.bound(), fractional.log_partition, 1e-7) << seed;
    const VariableMarginals p = trw.beliefs();
    for (Variable v = 0; v < 3; ++v) EXPECT_NEAR(p[v][0], fractional.beliefs[v][0], 1e-7);
  }
}

TEST(TreeReweighted, BetterTreesLowerTheBound) {
  std::size_t lower = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph(
        {.shape = Shape::complete, .variables = 6, .most_states = 2, .spread = 1.5}, random);
    TreeReweighted fixed(graph, {.damping = 0.3, .seed = seed});
    TreeReweighted moved(graph, {.damping = 0.3, .tree_steps = 20, .seed = seed});
    fixed.run();
    moved.run();
    EXPECT_LE(moved.bound(), fixed.bound() + 1e-9);  // it starts with the same trees
    lower += moved.bound() < fixed.bound() - 1e-3;
  }
  EXPECT_GT(lower, 30u);
}

TEST(TreeReweighted, SeveralFactorsOfTwoVariablesAreOneEdge) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_variable(3);
  graph.add_factor({0, 1}, graph.add_table(std::vector{1., 2., 3., 4., 5., 6.}));
  graph.add_factor({1, 0}, graph.add_table(std::vector{1., 0., -1., 2., -3., 0.5}));
  TreeReweighted trw(graph);
  trw.run();
  EXPECT_EQ(trw.kind(), ResultKind::exact);
  EXPECT_NEAR(trw.bound(), brute_force(graph).log_partition, 1e-12);
}

// A grid of four variables whose tables are equal(state), but for a rounding where `nearly`.
FactorGraph potts_grid(std::uint64_t seed, bool nearly) {
  Random random(seed);
  FactorGraph graph;
  const std::size_t states = 2 + seed % 4;
  const double spread = seed % 3 == 0 ? 800 : 2;
  for (Variable v = 0; v < 4; ++v) {
    graph.add_variable(states);
    std::vector<double> own(states);
    for (double& each : own) each = spread * random.normal();
    if (seed % 5 == 0 && v == 1) own[0] = -kInf;
    graph.add_factor({v}, graph.add_table(own));
  }
  for (const auto& [a, b] : {std::pair{0u, 1u}, {2u, 3u}, {2u, 0u}, {1u, 3u}}) {
    const double equal = seed % 7 == 0 ? -kInf : random.normal();
    const double unequal = seed % 7 == 1 && a + b == 1 ? -kInf : spread * random.normal();
    std::vector<double> table(states * states, unequal);
    for (std::size_t x = 0; x < states; ++x) table[x * (states + 1)] = equal;
    if (nearly && unequal > -kInf) table[1] += 1e-12;
    if (nearly && equal > -kInf) table[0] += 1e-12;
    graph.add_factor({a, b}, graph.add_table(table));
  }
  return graph;
}

TEST(TreeReweighted, SumsOverEdgesOfTwoScoresAreThoseOfTheirTables) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const FactorGraph graph = potts_grid(seed, false), nearly = potts_grid(seed, true);
    const double log_z = brute_force(graph).log_partition;
    TreeReweighted by_scores(graph, {.max_iterations = 30}),
        by_tables(nearly, {.max_iterations = 30});
    by_scores.run();
    by_tables.run();
    ASSERT_EQ(by_scores.contradiction(), by_tables.contradiction());
    if (by_scores.contradiction()) continue;
    EXPECT_GE(by_scores.bound(), log_z - rounding(log_z));
    EXPECT_NEAR(by_scores.bound(), by_tables.bound(), 1e-9 * std::max(1.0, std::abs(log_z)));
  }
}

TEST(TreeReweighted, DoesNotOfferItselfForLargerFactors) {
  FactorGraph graph;
  for (int k = 0; k < 3; ++k) graph.add_variable(2);
  graph.add_factor({0, 1, 2}, graph.add_parity(false));
  EXPECT_THROW(TreeReweighted{graph}, UsageError);
  EXPECT_THROW(fractional_propagation(graph), UsageError);
}

TEST(TreeReweighted, TellsAContradiction) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_variable(2);
  graph.add_factor({0, 1}, graph.add_table(std::vector{-kInf, 0., 0., -kInf}));
  graph.add_factor({0}, graph.add_table(std::vector{0., -kInf}));
  graph.add_factor({1}, graph.add_table(std::vector{0., -kInf}));
  TreeReweighted trw(graph);
  trw.run();
  EXPECT_TRUE(trw.contradiction());
  EXPECT_EQ(trw.bound(), -kInf);
  EXPECT_EQ(trw.kind(), ResultKind::exact);
  EXPECT_THROW(trw.beliefs(), Error);
  EXPECT_TRUE(fractional_propagation(graph).contradiction);
}

TEST(TreeReweighted, TheSameSeedGivesTheSameBits) {
  const FactorGraph graph = pairwise_number(1);
  TreeReweighted a(graph, {.tree_steps = 2, .seed = 3}), b(graph, {.tree_steps = 2, .seed = 3});
  a.run();
  b.run();
  EXPECT_EQ(a.bound(), b.bound());
  EXPECT_EQ(a.beliefs(), b.beliefs());
}

TEST(TreeReweighted, ChecksItsOptions) {
  const FactorGraph graph = pairwise_number(1);
  EXPECT_THROW(TreeReweighted(graph, {.damping = 1}), UsageError);
  EXPECT_THROW(TreeReweighted(graph, {.tolerance = -1}), UsageError);
  EXPECT_THROW(TreeReweighted(graph, {.trees = 0}), UsageError);
  EXPECT_THROW(fractional_propagation(graph, {.weight = 0}), UsageError);
}

TEST(FractionalPropagation, WithWeightOneIsBeliefPropagation) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph({.shape = seed % 2 == 0 ? Shape::grid : Shape::complete,
                                            .variables = 4 + seed % 6,
                                            .most_states = 2 + seed % 2,
                                            .spread = 0.4,
                                            .zeros = seed % 4 == 0 ? 0.1 : 0},
                                           random);
    const FractionalResult result = fractional_propagation(graph, {.weight = 1});
    SumProduct bp(graph, {.tolerance = 1e-12});
    if (!bp.run().converged || !result.convergence.converged) continue;
    EXPECT_NEAR(result.log_partition, bp.log_partition(), 1e-6) << seed;
    for (Variable v = 0; v < graph.variables(); ++v) {
      EXPECT_NEAR(result.beliefs[v][0], bp.belief(v)[0], 1e-6) << seed;
    }
  }
}

// Beliefs so small that the product of two is no double.
TEST(FractionalPropagation, IsFiniteWherePairsAreVeryUnlikely) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_variable(2);
  graph.add_factor({0, 1}, graph.add_table(std::vector{-400., -700., 0., -400.}));
  const FractionalResult result = fractional_propagation(graph, {.weight = 1});
  EXPECT_NEAR(result.log_partition, brute_force(graph).log_partition, 1e-9);
}

}  // namespace
}  // namespace croft::tree_reweighted_test

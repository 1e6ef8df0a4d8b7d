#include "inference/graph/messages/generalised_propagation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "croft/core/error.h"
#include "croft/inference/belief_propagation.h"
#include "croft/inference/graph_brute_force.h"
#include "support/graph_number.h"

namespace croft::generalised_propagation_test {
namespace {

using testing_graphs::graph_number;
using testing_graphs::random_graph;
using testing_graphs::Shape;

constexpr double kInf = std::numeric_limits<double>::infinity();

FactorGraph grid(std::size_t side, double spread, std::uint64_t seed, std::size_t states = 2) {
  Random random(seed);
  return random_graph(
      {.shape = Shape::grid, .variables = side * side, .most_states = states, .spread = spread},
      random);
}

RegionGraph squares(const FactorGraph& graph) {
  return make_region_graph(graph, loop_clusters(graph, 4));
}

// Counts over the whole table of regions, from the definition.
double count_of(const RegionGraph& regions, const Cluster& some) {
  double sum = 0;
  for (const auto* list : {&regions.outer, &regions.inner}) {
    for (const Region& each : *list) {
      if (std::ranges::includes(each.variables, some)) sum += each.count;
    }
  }
  return sum;
}

TEST(RegionGraph, OfAGridHasItsSquaresTheirEdgesAndCorners) {
  const RegionGraph regions = squares(grid(4, 1, 1));
  EXPECT_EQ(regions.outer.size(), 9u);
  std::size_t edges = 0, corners = 0;
  for (const Region& each : regions.inner) {
    edges += each.variables.size() == 2 && each.count == -1;
    corners += each.variables.size() == 1 && each.count == 1;
  }
  EXPECT_EQ(edges, 12u);  // those inside, in two squares
  EXPECT_EQ(corners, 4u);
  EXPECT_EQ(regions.inner.size(), 16u);
  EXPECT_FALSE(regions.acyclic);
}

TEST(RegionGraph, CountsOfAllThatContainARegionAddUpToOne) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = graph_number(seed, {.spreads = {1}});
    const RegionGraph regions = make_region_graph(graph, loop_clusters(graph, 3 + seed % 3));
    std::vector<std::size_t> factors(graph.factors(), 0);
    for (const Region& each : regions.inner) EXPECT_EQ(count_of(regions, each.variables), 1);
    for (const Region& each : regions.outer) {
      EXPECT_EQ(count_of(regions, each.variables), 1);
      for (const Factor f : each.factors) ++factors[f];
    }
    for (Variable v = 0; v < graph.variables(); ++v) EXPECT_EQ(count_of(regions, {v}), 1);
    for (const std::size_t times : factors) EXPECT_EQ(times, 1u);
  }
}

TEST(RegionGraph, IsGivenUpWhereTheCallbackSaysNo) {
  FactorGraph graph;
  for (std::size_t v = 0; v < 60; ++v) graph.add_variable(2);
  for (Variable v = 0; v < 60; ++v) {
    for (Variable u = 0; u < v; ++u)
      graph.add_factor({u, v}, graph.add_table(std::vector{0., 1., 1., 0.}));
  }
  std::size_t asked = 0;
  const GraphCallback no = [&](const GraphProgress&) { return ++asked < 3; };
  EXPECT_THROW(loop_clusters(graph, 4, no), Interrupted);
  EXPECT_EQ(asked, 3u);
  EXPECT_THROW(make_region_graph(graph, loop_clusters(graph, 3), no), Interrupted);
}

// An iteration of many large regions takes seconds.
TEST(GeneralisedPropagation, StopsWithinAnIteration) {
  const FactorGraph graph = grid(12, 2, 3, 8);
  const RegionGraph regions = squares(graph);
  std::size_t asked = 0;
  const GeneralisedResult found =
      generalised_propagation(graph, regions, {.max_iterations = 1, .inner_iterations = 1000},
                              [&](const GraphProgress&) { return ++asked < 4; });
  EXPECT_EQ(asked, 4u);
  EXPECT_FALSE(found.convergence.converged);
  EXPECT_EQ(found.convergence.iterations, 0u);
  for (const std::vector<double>& each : found.beliefs) {
    EXPECT_NEAR(std::accumulate(each.begin(), each.end(), 0.0), 1, 1e-9);
  }
}

TEST(RegionGraph, WhatDoesNotFitIsAnError) {
  const FactorGraph graph = grid(3, 1, 1);
  EXPECT_THROW(make_region_graph(graph, {{0, 99}}), UsageError);
  EXPECT_THROW(loop_clusters(graph, 2), UsageError);
  FactorGraph large;
  Cluster all;
  for (int k = 0; k < 30; ++k) all.push_back(large.add_variable(2));
  EXPECT_THROW(make_region_graph(large, {all}), Error);
}

TEST(RegionGraph, ClustersAreReadFromText) {
  EXPECT_EQ(parse_clusters("0 1 4,5; 1 2 ;;", 6), (std::vector<Cluster>{{0, 1, 4, 5}, {1, 2}}));
  for (const char* const bad : {"", " ; ", "x", "0 1 6", "0 -1", "0 1.5", "99999999999"}) {
    EXPECT_THROW(parse_clusters(bad, 6), UsageError) << bad;
  }
}

TEST(GeneralisedPropagation, IsExactOnForests) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph =
        graph_number(seed, {.shapes = {Shape::tree, Shape::pieces, Shape::star}});
    const GraphBruteForce all = brute_force(graph);
    const GeneralisedResult result =
        generalised_propagation(graph, squares(graph), {.tolerance = 1e-13});
    ASSERT_TRUE(result.convergence.converged) << seed;
    EXPECT_EQ(result.kind, ResultKind::exact);
    EXPECT_NEAR(result.log_partition, all.log_partition,
                1e-9 * std::max(1.0, std::abs(all.log_partition)))
        << seed;
    for (Variable v = 0; v < graph.variables(); ++v) {
      EXPECT_NEAR(result.beliefs[v][0], all.variable[v][0], 1e-8) << seed;
    }
  }
}

// Cliques of an elimination in the order of the variables: they hang together as a tree.
std::vector<Cluster> cliques_of(const FactorGraph& graph) {
  std::vector<Cluster> joined(graph.variables()), cliques;
  for (Factor f = 0; f < graph.factors(); ++f) {
    Cluster scope(graph.scope(f).begin(), graph.scope(f).end());
    std::ranges::sort(scope);
    for (const Variable v : scope) joined[scope.front()].push_back(v);
  }
  for (Variable v = 0; v < graph.variables(); ++v) {
    Cluster clique = joined[v];
    clique.push_back(v);
    std::ranges::sort(clique);
    clique.erase(std::ranges::unique(clique).begin(), clique.end());
    if (clique.size() > 1) {
      joined[clique[1]].insert(joined[clique[1]].end(), clique.begin() + 1, clique.end());
    }
    cliques.push_back(std::move(clique));
  }
  return cliques;
}

TEST(GeneralisedPropagation, IsExactWhereTheRegionsAreATreeOfCliques) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph =
        graph_number(seed, {.shapes = {Shape::grid, Shape::higher_order}, .spreads = {0.5, 2}});
    const RegionGraph regions = make_region_graph(graph, cliques_of(graph));
    EXPECT_TRUE(regions.acyclic) << seed;
    const GraphBruteForce all = brute_force(graph);
    const GeneralisedResult result =
        generalised_propagation(graph, regions, {.tolerance = 1e-11, .max_iterations = 5000});
    ASSERT_TRUE(result.convergence.converged) << seed;
    EXPECT_EQ(result.kind, ResultKind::exact);
    EXPECT_NEAR(result.log_partition, all.log_partition, 1e-7) << seed;
    for (Variable v = 0; v < graph.variables(); ++v) {
      EXPECT_NEAR(result.beliefs[v][0], all.variable[v][0], 1e-7) << seed;
    }
  }
}

TEST(GeneralisedPropagation, WithTheFactorsAloneIsBeliefPropagation) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = graph_number(
        seed,
        {.shapes = {Shape::grid, Shape::complete, Shape::star}, .spreads = {0.4}, .zeros = 0});
    SumProduct bp(graph, {.tolerance = 1e-12});
    const GeneralisedResult result =
        generalised_propagation(graph, make_region_graph(graph, {}), {.tolerance = 1e-11});
    if (!bp.run().converged || !result.convergence.converged) continue;
    ++compared;
    EXPECT_NEAR(result.log_partition, bp.log_partition(), 1e-7) << seed;
    for (Variable v = 0; v < graph.variables(); ++v) {
      EXPECT_NEAR(result.beliefs[v][0], bp.belief(v)[0], 1e-7) << seed;
    }
  }
  EXPECT_GT(compared, 180u);
}

TEST(GeneralisedPropagation, OfGridsIsNearerToTheTruthThanBeliefPropagation) {
  std::size_t compared = 0;
  double of_squares = 0, of_pairs = 0, belief_of_squares = 0, belief_of_pairs = 0;
  for (std::uint64_t seed = 0; seed < 220; ++seed) {
    const FactorGraph graph = grid(seed % 10 == 0 ? 4 : 3, 0.7, seed);
    const GraphBruteForce all = brute_force(graph);
    const GeneralisedResult large = generalised_propagation(graph, squares(graph));
    SumProduct small(graph);
    if (!small.run().converged || !large.convergence.converged) continue;
    ++compared;
    of_squares += std::abs(large.log_partition - all.log_partition);
    of_pairs += std::abs(small.log_partition() - all.log_partition);
    for (Variable v = 0; v < graph.variables(); ++v) {
      belief_of_squares += std::abs(large.beliefs[v][0] - all.variable[v][0]);
      belief_of_pairs += std::abs(small.belief(v)[0] - all.variable[v][0]);
    }
  }
  EXPECT_GT(compared, 200u);
  EXPECT_LT(of_squares, 0.2 * of_pairs);
  EXPECT_LT(belief_of_squares, 0.3 * belief_of_pairs);
}

TEST(GeneralisedPropagation, BeliefsAreTheDerivativesOfLogZ) {
  // Kikuchi's log Z is stationary in its beliefs: they alone carry its derivative.
  constexpr double kStep = 1e-4;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    FactorGraph graph = grid(3, 0.7, seed, 3);
    const RegionGraph regions = squares(graph);
    const GeneralisedOptions options{.tolerance = 1e-13, .max_iterations = 5000};
    const GeneralisedResult at = generalised_propagation(graph, regions, options);
    if (!at.convergence.converged) continue;
    const Factor own = static_cast<Factor>(graph.factors() - 1 - seed % 9);
    ASSERT_EQ(graph.scope(own).size(), 1u);
    double& score = graph.numbers(graph.potential_of(own))[0];
    const double before = score;
    score = before + kStep;
    const double above = generalised_propagation(graph, regions, options).log_partition;
    score = before - kStep;
    const double below = generalised_propagation(graph, regions, options).log_partition;
    EXPECT_NEAR((above - below) / (2 * kStep), at.beliefs[graph.scope(own)[0]][0], 1e-6) << seed;
  }
}

FactorGraph ising(Variable side, double coupling) {
  FactorGraph graph;
  for (Variable v = 0; v < side * side; ++v) graph.add_variable(2);
  const PotentialId pair = graph.add_potts(coupling, -coupling);
  for (Variable v = 0; v < side * side; ++v) {
    if (v % side + 1 < side) graph.add_factor({v, v + 1}, pair);
    if (v / side + 1 < side) graph.add_factor({v, v + side}, pair);
  }
  return graph;
}

TEST(GeneralisedPropagation, OfAnIsingGridHasTheValueOfAnotherProgram) {
  // libDAI 6df66a8: HAK[doubleloop=0,clusters=LOOP,loopdepth=4], a published implementation of
  // Heskes, Albers & Kappen (2003).  The true log Z is 314.0675, Bethe's 310.9579.
  const FactorGraph graph = ising(20, 0.3);
  for (const RegionScheme scheme : {RegionScheme::one_loop, RegionScheme::double_loop}) {
    const GeneralisedResult result =
        generalised_propagation(graph, squares(graph), {.scheme = scheme});
    EXPECT_TRUE(result.convergence.converged);
    EXPECT_NEAR(result.log_partition, 314.03917417, 3e-7);
  }
}

TEST(GeneralisedPropagation, TheDoubleLoopConvergesAndNeverFalls) {
  std::size_t alone = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph =
        grid(seed % 10 == 9 ? 7 : 3 + seed % 3, seed % 3 == 1 ? 1.0 : 3.0, seed);
    const RegionGraph regions = squares(graph);
    const bool one =
        generalised_propagation(graph, regions, {.max_iterations = 300}).convergence.converged;
    alone += !one;
    double last = -kInf;
    const GeneralisedResult result = generalised_propagation(
        graph, regions,
        {.scheme = RegionScheme::double_loop,
         .tolerance = 1e-7,
         .max_iterations = 2000,
         .inner_iterations = 1000},
        [&](const GraphProgress& now) {
          EXPECT_GE(*now.value, last - 1e-5 * std::max(1.0, std::abs(last))) << seed;
          last = *now.value;
          return true;
        });
    EXPECT_TRUE(result.convergence.converged) << seed;
  }
  EXPECT_GT(alone, 0u);  // where one loop does not converge
}

TEST(GeneralisedPropagation, OneLoopThatRunsAwaySaysSo) {
  // Zeros and short cycles; messages grow without end, and must not become zeros that prove Z = 0.
  std::size_t far = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph =
        graph_number(seed, {.shapes = {Shape::complete, Shape::higher_order}, .spreads = {2, 20}});
    const GeneralisedResult result =
        generalised_propagation(graph, make_region_graph(graph, loop_clusters(graph, 3)),
                                {.scheme = RegionScheme::one_loop, .max_iterations = 3000});
    EXPECT_FALSE(result.contradiction) << seed;
    EXPECT_TRUE(std::isfinite(result.log_partition)) << seed;
    far += result.convergence.residual == kInf;
  }
  EXPECT_GT(far, 0u);
}

TEST(GeneralisedPropagation, ExtremeScoresAndZerosAreRight) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph({.shape = seed % 2 == 0 ? Shape::grid : Shape::complete,
                                            .variables = 4,
                                            .most_states = 3,
                                            .spread = seed % 3 == 0 ? 1e4 : 1.0,
                                            .zeros = 0.3},
                                           random);
    // One square: exact.
    const GraphBruteForce all = brute_force(graph);
    const GeneralisedResult result = generalised_propagation(graph, squares(graph));
    EXPECT_EQ(result.kind, ResultKind::exact);
    EXPECT_NEAR(result.log_partition, all.log_partition,
                1e-10 * std::max(1.0, std::abs(all.log_partition)));
    for (Variable v = 0; v < graph.variables(); ++v) {
      for (State s = 0; s < graph.states(v); ++s) {
        EXPECT_NEAR(result.beliefs[v][s], all.variable[v][s], 1e-9);
      }
    }
  }
}

TEST(GeneralisedPropagation, NeverTellsAContradictionOfAnAllowedGraph) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = graph_number(
        seed, {.shapes = {Shape::grid, Shape::complete, Shape::higher_order}, .zeros = 5});
    const GeneralisedResult result = generalised_propagation(
        graph, make_region_graph(graph, loop_clusters(graph, 3)), {.max_iterations = 50});
    EXPECT_FALSE(result.contradiction) << seed;
    EXPECT_TRUE(std::isfinite(result.log_partition)) << seed;
  }
}

TEST(GeneralisedPropagation, TellsAContradiction) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_variable(2);
  graph.add_factor({0, 1}, graph.add_table(std::vector{-kInf, 0., 0., -kInf}));
  graph.add_factor({0, 1}, graph.add_table(std::vector{0., -kInf, -kInf, 0.}));
  const GeneralisedResult result = generalised_propagation(graph, squares(graph));
  EXPECT_TRUE(result.contradiction);
  EXPECT_EQ(result.kind, ResultKind::exact);
  EXPECT_EQ(result.log_partition, -kInf);
  EXPECT_TRUE(result.beliefs.empty());
}

TEST(GeneralisedPropagation, StopsWhenItIsToldAndChecksItsOptions) {
  const FactorGraph graph = grid(4, 1, 1);
  const RegionGraph regions = squares(graph);
  const GeneralisedResult stopped = generalised_propagation(
      graph, regions, {}, [](const GraphProgress& now) { return now.iteration < 2; });
  EXPECT_EQ(stopped.convergence.iterations, 2u);
  EXPECT_FALSE(stopped.convergence.converged);
  EXPECT_EQ(stopped.kind, ResultKind::estimate);
  EXPECT_THROW(generalised_propagation(graph, regions, {.damping = 1}), UsageError);
  EXPECT_THROW(generalised_propagation(graph, regions, {.tolerance = 0}), UsageError);
  EXPECT_THROW(generalised_propagation(graph, regions, {.max_iterations = 0}), UsageError);
  EXPECT_THROW(generalised_propagation(graph, regions, {.inner_iterations = 0}), UsageError);
  EXPECT_THROW(region_scheme("three-loops"), UsageError);
}

}  // namespace
}  // namespace croft::generalised_propagation_test

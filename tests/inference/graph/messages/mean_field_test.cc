#include "croft/inference/mean_field.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "croft/core/error.h"
#include "croft/inference/graph_brute_force.h"
#include "support/graph_number.h"

namespace croft::mean_field_test {
namespace {

using testing_graphs::random_graph;
using testing_graphs::rounding;
using testing_graphs::Shape;

constexpr double kInf = std::numeric_limits<double>::infinity();

FactorGraph graph_number(std::uint64_t seed) {
  return testing_graphs::graph_number(seed, {.spreads = {0.5, 2, 20, 1000}, .zeros = 2});
}

// All kinds of potentials, with cycles.
FactorGraph mixed_graph(std::uint64_t seed) {
  Random random(seed);
  FactorGraph graph;
  for (int k = 0; k < 5; ++k) graph.add_variable(2);
  graph.add_variable(3);
  graph.add_variable(4);
  std::vector<double> counts(5), listed(3);
  for (double& each : counts) each = 2 * random.normal();
  for (double& each : listed) each = 2 * random.normal();
  if (seed % 3 == 0) counts[4] = -kInf;
  if (seed % 4 == 0) listed[1] = -kInf;
  const std::vector<std::uint64_t> states{0, 5, 11};
  graph.add_factor({0, 1, 2, 3}, graph.add_cardinality(counts));
  graph.add_factor({4, 3, 5}, graph.add_sparse(states, listed, seed % 5 == 0 ? -kInf : 0.5));
  if (seed % 2 == 0) graph.add_factor({0, 2, 4}, graph.add_parity(seed % 4 == 2));
  graph.add_factor({5, 6}, graph.add_truncated_linear(random.uniform(), 2));
  graph.add_factor({6, 5}, graph.add_truncated_quadratic(random.uniform(), 2));
  graph.add_factor({1, 6}, graph.add_potts(random.normal(), random.normal()));
  graph.add_factor({6, 0}, graph.add_potts(1, -1));
  for (Variable v = 0; v < 7; ++v) {
    std::vector<double> own(graph.states(v));
    for (double& each : own) each = random.normal();
    graph.add_factor({v}, graph.add_table(own));
  }
  return graph;
}

// (GV.11) from the definition.
double bound_of(const FactorGraph& graph, const VariableMarginals& q) {
  double sum = 0;
  std::vector<State> x(graph.variables(), 0);
  for (bool more = true; more;) {
    double weight = 1;
    for (Variable v = 0; v < x.size(); ++v) weight *= q[v][x[v]];
    if (weight > 0) sum += weight * (graph.score(x) - std::log(weight));
    more = false;
    for (std::size_t v = x.size(); v-- > 0 && !more;) {
      more = ++x[v] < graph.states(static_cast<Variable>(v));
      if (!more) x[v] = 0;
    }
  }
  return sum;
}

TEST(MeanField, BoundsLogZFromBelowAtEveryIteration) {
  std::size_t bounds = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const FactorGraph graph = seed % 4 == 3 ? mixed_graph(seed) : graph_number(seed);
    const double log_z = brute_force(graph).log_partition;
    double last = -kInf;
    const MeanFieldResult result =
        mean_field(graph, {.starts = 1 + seed % 3, .seed = seed}, [&](const GraphProgress& now) {
          EXPECT_LE(*now.value, log_z + rounding(log_z)) << seed;
          EXPECT_GE(*now.value, last - rounding(last));  // it never falls
          last = *now.value;
          return true;
        });
    if (log_z == -kInf) {
      EXPECT_TRUE(result.contradiction);
      continue;
    }
    ASSERT_TRUE(std::isfinite(result.bound)) << seed;
    EXPECT_LE(result.bound, log_z + rounding(log_z)) << seed;
    if (result.kind == ResultKind::exact) {
      EXPECT_NEAR(result.bound, log_z, rounding(log_z));  // no factor of two variables
    }
    bounds += result.kind == ResultKind::lower_bound;
    EXPECT_NEAR(result.bound, bound_of(graph, result.marginals),
                1e-9 * std::max(1.0, std::abs(result.bound)))
        << seed;
  }
  EXPECT_GT(bounds, 300u);
}

TEST(MeanField, IsAStationaryPoint) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph(
        {.shape = Shape::grid, .variables = 4 + seed % 6, .most_states = 3, .spread = 1}, random);
    const MeanFieldResult result = mean_field(graph, {.tolerance = 1e-12, .max_iterations = 5000});
    ASSERT_TRUE(result.convergence.converged);
    // Moving one variable's weights a little lowers the bound.
    for (Variable v = 0; v < graph.variables(); ++v) {
      VariableMarginals q = result.marginals;
      q[v][0] = q[v][0] + 0.01 * (1 - q[v][0]);
      for (std::size_t x = 1; x < q[v].size(); ++x) q[v][x] *= 0.99;
      EXPECT_LT(bound_of(graph, q), result.bound + 1e-12) << seed;
    }
  }
}

TEST(MeanField, IsExactWithoutFactorsBetweenVariables) {
  FactorGraph graph;
  graph.add_variable(3);
  graph.add_variable(2);
  graph.add_factor({0}, graph.add_table(std::vector{1., -kInf, 3.}));
  graph.add_factor({}, graph.add_table(std::vector{0.25}));
  const MeanFieldResult result = mean_field(graph);
  EXPECT_EQ(result.kind, ResultKind::exact);
  EXPECT_NEAR(result.bound, brute_force(graph).log_partition, 1e-14);
  EXPECT_EQ(result.marginals[0][1], 0);
}

TEST(MeanField, MoreStartsNeverLowerTheBound) {
  std::size_t higher = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const double one = mean_field(graph, {.seed = seed}).bound;
    const double many = mean_field(graph, {.starts = 10, .seed = seed}).bound;
    EXPECT_GE(many, one);
    higher += many > one + 1e-6;
  }
  EXPECT_GT(higher, 10u);
}

TEST(MeanField, TellsAContradiction) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_variable(2);
  graph.add_factor({0, 1}, graph.add_table(std::vector{-kInf, 0., 0., -kInf}));
  graph.add_factor({0, 1}, graph.add_table(std::vector{0., -kInf, -kInf, 0.}));
  const MeanFieldResult result = mean_field(graph);
  EXPECT_TRUE(result.contradiction);
  EXPECT_EQ(result.bound, -kInf);
  EXPECT_EQ(result.kind, ResultKind::exact);
  EXPECT_TRUE(result.marginals.empty());
}

TEST(MeanField, CountsTheFactorsWhoseZerosItCannotKeep) {
  FactorGraph graph;
  for (int v = 0; v < 3; ++v) graph.add_variable(2);
  const double never = -std::numeric_limits<double>::infinity();
  const PotentialId equal = graph.add_potts(0, never);
  graph.add_factor({0, 1}, equal);
  graph.add_factor({1, 2}, graph.add_table(std::vector{0., 1., 1., 0.}));
  graph.add_factor({2}, graph.add_table(std::vector{0., never}));
  EXPECT_EQ(mean_field(graph).forbidding, 1u);
  // One state each of the two that must be equal, where both are as probable.
  const std::vector<double> p = mean_field(graph).marginals[0];
  EXPECT_EQ(std::max(p[0], p[1]), 1);
  const std::vector<std::vector<Variable>> together{{0, 1}, {2}}, apart{{0, 2}, {1}};
  EXPECT_EQ(structured_mean_field(graph, together).forbidding, 0u);
  EXPECT_EQ(structured_mean_field(graph, apart).forbidding, 1u);
}

TEST(MeanField, TheSameSeedGivesTheSameBits) {
  const FactorGraph graph = graph_number(9);
  const MeanFieldResult a = mean_field(graph, {.starts = 3, .seed = 5});
  const MeanFieldResult b = mean_field(graph, {.starts = 3, .seed = 5});
  EXPECT_EQ(a.bound, b.bound);
  EXPECT_EQ(a.marginals, b.marginals);
}

TEST(MeanField, ChecksItsOptions) {
  const FactorGraph graph = graph_number(1);
  EXPECT_THROW(mean_field(graph, {.tolerance = 0}), UsageError);
  EXPECT_THROW(mean_field(graph, {.max_iterations = 0}), UsageError);
  EXPECT_THROW(mean_field(graph, {.starts = 0}), UsageError);
}

TEST(StructuredMeanField, BoundsLogZFromBelowAtEveryIteration) {
  std::size_t better = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FactorGraph graph = seed % 4 == 3 ? mixed_graph(seed) : graph_number(seed);
    const double log_z = brute_force(graph).log_partition;
    const auto parts = forest_parts(graph);
    double last = -kInf;
    const MeanFieldResult result =
        structured_mean_field(graph, parts, {.seed = seed}, [&](const GraphProgress& now) {
          EXPECT_LE(*now.value, log_z + rounding(log_z)) << seed;
          EXPECT_GE(*now.value, last - rounding(last)) << seed;
          last = *now.value;
          return true;
        });
    if (log_z == -kInf) {
      EXPECT_TRUE(result.contradiction);
      continue;
    }
    ASSERT_TRUE(std::isfinite(result.bound)) << seed;
    EXPECT_LE(result.bound, log_z + rounding(log_z)) << seed;
    better += result.bound > mean_field(graph, {.seed = seed}).bound + 1e-6;
  }
  EXPECT_GT(better, 150u);
}

TEST(StructuredMeanField, IsNeverWorseThanMeanField) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const FactorGraph graph =
        random_graph({.shape = Shape::grid, .variables = 9, .most_states = 3, .spread = 4}, random);
    const double naive = mean_field(graph, {.seed = seed}).bound;
    const auto parts = forest_parts(graph);
    EXPECT_GE(structured_mean_field(graph, parts, {.seed = seed}).bound,
              naive - 1e-9 * std::max(1.0, std::abs(naive)))
        << seed;
  }
}

TEST(StructuredMeanField, OnAForestIsExact) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph({.shape = seed % 2 == 0 ? Shape::tree : Shape::pieces,
                                            .variables = 2 + seed % 7,
                                            .most_states = 2 + seed % 3,
                                            .spread = seed % 5 == 0 ? 200.0 : 2.0,
                                            .zeros = seed % 3 == 0 ? 0.3 : 0},
                                           random);
    const auto parts = forest_parts(graph);
    EXPECT_EQ(parts.size(), 1u);
    const GraphBruteForce all = brute_force(graph);
    const MeanFieldResult result = structured_mean_field(graph, parts);
    EXPECT_EQ(result.kind, ResultKind::exact);
    EXPECT_NEAR(result.bound, all.log_partition, rounding(all.log_partition)) << seed;
    for (Variable v = 0; v < graph.variables(); ++v) {
      for (State x = 0; x < graph.states(v); ++x) {
        EXPECT_NEAR(result.marginals[v][x], all.variable[v][x], 1e-9);
      }
    }
  }
}

TEST(StructuredMeanField, WithPartsOfOneVariableIsNaive) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = seed % 4 == 3 ? mixed_graph(seed) : graph_number(seed);
    std::vector<std::vector<Variable>> parts;
    for (Variable v = 0; v < graph.variables(); ++v) parts.push_back({v});
    const MeanFieldOptions options{.max_iterations = 30, .seed = seed};
    const MeanFieldResult one = structured_mean_field(graph, parts, options);
    // It goes on where mean field has ended: as many iterations once more.
    const MeanFieldResult naive = mean_field(graph, {.max_iterations = 60, .seed = seed});
    EXPECT_EQ(one.contradiction, naive.contradiction);
    if (one.contradiction) continue;
    EXPECT_NEAR(one.bound, naive.bound, 1e-8 * std::max(1.0, std::abs(naive.bound))) << seed;
  }
}

TEST(StructuredMeanField, PartsOfAGridAreForests) {
  Random random(1);
  const FactorGraph graph =
      random_graph({.shape = Shape::grid, .variables = 400, .most_states = 2, .spread = 1}, random);
  const auto parts = forest_parts(graph);
  EXPECT_LE(parts.size(), 3u);
  std::vector<std::size_t> part_of(graph.variables());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (const Variable v : parts[p]) part_of[v] = p;
  }
  std::vector<Variable> piece(graph.variables());
  std::iota(piece.begin(), piece.end(), Variable{0});
  const auto root = [&](Variable v) {
    while (piece[v] != v) v = piece[v];
    return v;
  };
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto scope = graph.scope(f);
    if (scope.size() < 2 || part_of[scope[0]] != part_of[scope[1]]) continue;
    EXPECT_NE(root(scope[0]), root(scope[1]));
    piece[root(scope[0])] = root(scope[1]);
  }
}

TEST(StructuredMeanField, NeedsPartsOfAllVariables) {
  const FactorGraph graph = graph_number(1);
  std::vector<std::vector<Variable>> parts = forest_parts(graph);
  parts[0].push_back(parts[0][0]);
  EXPECT_THROW(structured_mean_field(graph, parts), UsageError);
  parts[0].assign(1, 1000);
  EXPECT_THROW(structured_mean_field(graph, parts), UsageError);
  parts.assign(1, {});
  EXPECT_THROW(structured_mean_field(graph, parts), UsageError);
}

}  // namespace
}  // namespace croft::mean_field_test

#include "croft/inference/gibbs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "core/simd.h"
#include "croft/core/error.h"
#include "croft/inference/graph_brute_force.h"
#include "inference/graph/sampling/conditional_tables.h"
#include "inference/graph/sampling/gibbs_kernels.h"
#include "inference/graph/sampling/stuck_variables.h"
#include "support/random_graph.h"

namespace croft::gibbs_test {
namespace {

using testing_graphs::random_graph;
using testing_graphs::RandomGraphOptions;
using testing_graphs::Shape;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr Shape kShapes[] = {Shape::tree,     Shape::grid,         Shape::star,
                             Shape::complete, Shape::higher_order, Shape::pieces};

FactorGraph positive_graph(std::uint64_t seed) {
  Random random(seed);
  return random_graph({.shape = kShapes[seed % 6],
                       .variables = 4 + seed % 4,
                       .most_states = 2 + seed % 3,
                       .spread = 0.7},
                      random);
}

// n independent draws, a share of which were of something with probability p: how surprising is
// that?  P <= 2 exp(-n KL(share || p)) (Chernoff), whatever p and n.
double surprise(double n, double share, double p) {
  const auto part = [](double a, double b) { return a > 0 ? a * std::log(a / b) : 0; };
  return n * (part(share, p) + part(1 - share, 1 - p)) - std::log(2.0);
}

// Every state's share of the draws against its marginal, and the joint states of the first two
// variables against theirs, at a family-wise 1e-6 over `graphs` such calls.
void expect_draws_of(const FactorGraph& graph, const std::vector<std::vector<State>>& draws,
                     double temperature, std::size_t graphs, std::uint64_t seed) {
  std::map<std::pair<State, State>, double> pair, seen;
  std::vector<std::vector<double>> marginal(graph.variables());
  double total = 0;
  for (Variable v = 0; v < graph.variables(); ++v) marginal[v].assign(graph.states(v), 0.0);
  for_each_assignment(graph, [&](std::span<const State> x, long double score) {
    const double weight = std::exp(static_cast<double>(score) / temperature);
    total += weight;
    for (Variable v = 0; v < x.size(); ++v) marginal[v][x[v]] += weight;
    pair[{x[0], x[1]}] += weight;
  });
  const auto n = static_cast<double>(draws.size());
  const double limit = std::log(1e6 * static_cast<double>(graphs) * 60);  // up to 60 tests in each
  for (const auto& x : draws) seen[{x[0], x[1]}] += 1 / n;
  for (const auto& [states, weight] : pair) {
    EXPECT_LT(surprise(n, seen[states], weight / total), limit) << seed;
  }
  for (Variable v = 0; v < graph.variables(); ++v) {
    for (State s = 0; s < graph.states(v); ++s) {
      double share = 0;
      for (const auto& x : draws) share += x[v] == s ? 1 / n : 0;
      EXPECT_LT(surprise(n, share, marginal[v][s] / total), limit) << seed << " " << v << " " << s;
    }
  }
}

GibbsOptions far_apart(std::uint64_t seed) {
  return {.sweeps = 12000,
          .burn_in = 100,
          .thin = 60,
          .chains = 4,
          .samples = 800,
          .scan = static_cast<GibbsScan>(seed / 6 % 3),
          .seed = seed};
}

TEST(Gibbs, DrawsAssignmentsOfPositiveGraphsAsOftenAsTheyAreProbable) {
  for (std::uint64_t seed = 0; seed < 204; ++seed) {
    const FactorGraph graph = positive_graph(seed);
    GibbsOptions options = far_apart(seed);
    options.temperature = seed % 4 == 0 ? 1.7 : 1;
    const GibbsResult result = gibbs(graph, options);
    ASSERT_EQ(result.samples.size(), 800u);
    EXPECT_FALSE(result.possibly_reducible);
    expect_draws_of(graph, result.samples, options.temperature, 204, seed);
  }
}

TEST(Gibbs, BlocksDrawFromTheSameDistribution) {
  for (std::uint64_t seed = 0; seed < 204; ++seed) {
    const FactorGraph graph = positive_graph(seed);
    GibbsOptions options = far_apart(seed);
    options.blocks = seed % 2 == 0 ? GibbsBlocks::trees : GibbsBlocks::pairs;
    options.thin = 10;
    options.sweeps = 2000;
    options.temperature = seed % 4 < 2 ? 1.7 : 1;
    expect_draws_of(graph, gibbs(graph, options).samples, options.temperature, 204, seed);
  }
}

TEST(Gibbs, MarginalsAreWithinTheirStandardErrors) {
  double squares = 0, tests = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = positive_graph(seed);
    const GibbsResult result =
        gibbs(graph, {.sweeps = 3200, .burn_in = 100, .chains = 2, .seed = seed});
    const GraphBruteForce all = brute_force(graph);
    EXPECT_TRUE(result.convergence.converged) << seed << " " << result.convergence.residual;
    for (Variable v = 0; v < graph.variables(); ++v) {
      double sum = 0;
      for (State s = 0; s < graph.states(v); ++s) {
        sum += result.marginals[v][s];
        if (result.standard_errors[v][s] == 0) continue;
        const double z =
            (result.marginals[v][s] - all.variable[v][s]) / result.standard_errors[v][s];
        EXPECT_LT(std::abs(z), 7) << seed;  // Student's t of 63 batches: 2e-9 each
        squares += z * z;
        ++tests;
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
  EXPECT_NEAR(squares / tests, 1, 0.2);  // neither too small nor too large
}

TEST(Gibbs, ThresholdsAreTheConditionalProbabilities) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = positive_graph(seed);
    const double temperature = seed % 2 == 0 ? 1 : 2.5;
    const FactorLists factors(graph);
    const ConditionalTables tables(graph, factors, temperature);
    Random random(seed);
    std::vector<State> x(graph.variables());
    for (int n = 0; n < 20; ++n) {
      for (Variable v = 0; v < x.size(); ++v)
        x[v] = static_cast<State>(random.below(graph.states(v)));
      for (Variable v = 0; v < x.size(); ++v) {
        if (!tables.has(v)) continue;
        std::size_t row = tables.place(v);
        for (std::size_t k = 0; k < tables.neighbours(v).size(); ++k) {
          row += tables.strides(v)[k] * x[tables.neighbours(v)[k]];
        }
        std::vector<double> weight;
        double sum = 0;
        const State kept = x[v];
        for (x[v] = 0; x[v] < graph.states(v); ++x[v]) {
          weight.push_back(std::exp(graph.score(x) / temperature));
          sum += weight.back();
        }
        x[v] = kept;
        double below = 0;
        for (std::size_t s = 0; s + 1 < weight.size(); ++s) {
          below += weight[s] / sum;
          EXPECT_NEAR(tables.thresholds()[row + s] / 0x1p31, below, 1e-9) << seed;
        }
      }
    }
  }
}

FactorGraph ising(std::size_t side, double coupling) {
  FactorGraph graph;
  for (std::size_t v = 0; v < side * side; ++v) graph.add_variable(2);
  const auto join = [&](std::size_t u, std::size_t v) {  // a table each, as a file has it
    const std::vector table{coupling, -coupling, -coupling, coupling};
    graph.add_factor({static_cast<Variable>(u), static_cast<Variable>(v)}, graph.add_table(table));
  };
  for (std::size_t v = 0; v < side * side; ++v) {
    if ((v + 1) % side != 0) join(v, v + 1);
    if (v + side < side * side) join(v, v + side);
  }
  return graph;
}

TEST(Gibbs, VariablesWithTheSameNumbersShareATable) {
  const FactorGraph graph = ising(30, 0.3);
  const FactorLists factors(graph);
  const ConditionalTables tables(graph, factors, 1);
  // Inside, at the sides and in the corners, each by who comes first in a factor.
  EXPECT_LE(tables.thresholds().size(), 16u + 4 * 8 + 4 * 4);
  EXPECT_EQ(tables.place(31), tables.place(500));
}

TEST(Gibbs, TheResultDependsOnNeitherThreadsNorSimdTarget) {
  const FactorGraph graph = ising(300, 0.2);
  GibbsOptions options{.sweeps = 6, .burn_in = 1, .chains = 1, .samples = 3, .seed = 5};
  const GibbsResult one = gibbs(graph, options);
  options.threads = 3;
  EXPECT_EQ(gibbs(graph, options).samples, one.samples);
  const std::string before = simd_target();
  for (const std::string& target : simd_targets()) {
    force_simd_target(target);
    const GibbsResult other = gibbs(graph, options);
    EXPECT_EQ(other.samples, one.samples) << target;
    EXPECT_EQ(other.marginals, one.marginals) << target;
  }
  force_simd_target(before);
  options.chains = 3;
  const GibbsResult many = gibbs(graph, options);
  options.threads = 1;
  EXPECT_EQ(gibbs(graph, options).marginals, many.marginals);
}

TEST(Gibbs, RandomNumbersAreThoseOfXoshiro) {
  StreamStates streams = seeded_streams(7);
  const StreamStates start = streams;
  std::vector<std::uint32_t> drawn(32);
  fill_random(streams, drawn.data(), drawn.size());
  for (std::size_t k = 0; k < kRandomStreams; ++k) {
    const std::uint64_t first = start[0][k] + start[3][k];
    const std::uint64_t word = ((first << 23) | (first >> 41)) + start[0][k];
    EXPECT_EQ(drawn[2 * k], static_cast<std::uint32_t>(word) >> 1);
    EXPECT_EQ(drawn[2 * k + 1], static_cast<std::uint32_t>(word >> 32) >> 1);
  }
}

TEST(Gibbs, WithZerosItStartsWhereItMayAndStaysThere) {
  std::size_t reported = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph({.shape = kShapes[seed % 6],
                                            .variables = 5 + seed % 4,
                                            .most_states = 3,
                                            .spread = 1,
                                            .zeros = 0.4},
                                           random);
    for (const GibbsBlocks blocks : {GibbsBlocks::none, GibbsBlocks::trees, GibbsBlocks::pairs}) {
      const GibbsResult result =
          gibbs(graph, {.sweeps = 40, .burn_in = 0, .samples = 16, .blocks = blocks, .seed = seed});
      for (const auto& x : result.samples) EXPECT_GT(graph.score(x), -kInf) << seed;
      reported += blocks == GibbsBlocks::none && result.possibly_reducible ? 1 : 0;
    }
  }
  EXPECT_GT(reported, 150u);
}

TEST(Gibbs, AGraphThatSingleMovesCannotCrossIsReportedAndATreeOfItIsNot) {
  FactorGraph graph;  // both the same: two islands
  const Variable a = graph.add_variable(2), b = graph.add_variable(2);
  graph.add_factor({a, b}, graph.add_table(std::vector{0., -kInf, -kInf, std::log(3.)}));
  EXPECT_TRUE(gibbs(graph).possibly_reducible);
  GibbsOptions options{.samples = 1000, .blocks = GibbsBlocks::trees};
  const GibbsResult result = gibbs(graph, options);
  EXPECT_FALSE(result.possibly_reducible);
  EXPECT_NEAR(result.marginals[a][1], 0.75, 6 * result.standard_errors[a][1]);
  expect_draws_of(graph, result.samples, 1, 1, 0);
}

// Two parts, of 3 and 1 of 4, that single moves do not join, and all chains begin in the larger
// one.
FactorGraph parted() {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_variable(4);
  graph.add_factor({0, 1},
                   graph.add_table(std::vector{0., 0., 0., -kInf, -kInf, -kInf, -kInf, 0.}));
  return graph;
}

TEST(Gibbs, AVariableThatNeverMovedHasNoStandardErrorUnlessItMustStay) {
  FactorGraph graph = parted();
  std::size_t one_part = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const GibbsResult found = gibbs(graph, {.sweeps = 2000, .seed = seed});
    if (found.marginals[0][0] != 1) continue;
    ++one_part;
    EXPECT_EQ(count_stuck(found), 1u);
    EXPECT_FALSE(found.convergence.converged);
    EXPECT_TRUE(std::isnan(found.standard_errors[0][0]));
    EXPECT_FALSE(std::isnan(found.standard_errors[1][0]));
  }
  EXPECT_GT(one_part, 0u);
  // Proved: by a zero of its own, by zeros that follow from it, by scores that leave nothing else.
  graph.add_factor({0}, graph.add_table(std::vector{0., -kInf}));
  graph.add_variable(2);
  graph.add_factor({0, 2}, graph.add_table(std::vector{-kInf, 0., 0., 0.}));
  graph.add_variable(3);
  graph.add_factor({3, 1}, graph.add_table(std::vector{40., 40., 40., 40., 1., 2., 3., 4.,  //
                                                       0., 0., 0., 0.}));
  const GibbsResult found = gibbs(graph, {.sweeps = 2000});
  EXPECT_EQ(count_stuck(found), 0u);
  EXPECT_TRUE(found.convergence.converged);
  EXPECT_EQ(found.standard_errors[2][1], 0);
}

// The other state has a probability of about 0.001 in 200 sweeps.
TEST(Gibbs, AFewSweepsDoNotProveThatAVariableStays) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_factor({0}, graph.add_table(std::vector{0., -9.}));
  const GibbsResult found = gibbs(graph, {.sweeps = 200});
  ASSERT_EQ(found.marginals[0][0], 1);
  EXPECT_EQ(count_stuck(found), 1u);
  EXPECT_FALSE(found.convergence.converged);
}

TEST(Gibbs, PotentialsWithoutTablesAreDrawnByTheirScores) {
  FactorGraph graph;  // too many neighbours for tables
  std::vector<Variable> all;
  for (int v = 0; v < 14; ++v) all.push_back(graph.add_variable(2));
  std::vector<double> by_count(15);
  for (std::size_t k = 0; k < by_count.size(); ++k) by_count[k] = std::sin(static_cast<double>(k));
  graph.add_factor(all, graph.add_cardinality(by_count));
  const GibbsResult result = gibbs(graph, {.sweeps = 20000});
  const GraphBruteForce exact = brute_force(graph);
  for (const Variable v : all) {
    EXPECT_NEAR(result.marginals[v][1], exact.variable[v][1], 7 * result.standard_errors[v][1]);
  }
}

TEST(Gibbs, ItStopsWhenToldToAndSaysWhatItWasNotTold) {
  const FactorGraph graph = positive_graph(3);
  std::size_t last = 0;
  const GibbsResult result =
      gibbs(graph, {.sweeps = 3200, .burn_in = 10}, [&](const GraphProgress& now) {
        EXPECT_GT(now.iteration, last);
        last = now.iteration;
        return now.iteration < 500;
      });
  EXPECT_EQ(result.convergence.iterations, last);
  EXPECT_GE(last, 500u);
  EXPECT_LT(last, 600u);
  EXPECT_FALSE(result.convergence.converged);
  EXPECT_THROW(gibbs(graph, {}, [](const GraphProgress&) { return false; }), Error);
  EXPECT_THROW(gibbs(graph, {.sweeps = 1}), UsageError);
  EXPECT_THROW(gibbs(graph, {.sweeps = 10, .samples = 41}), UsageError);
  EXPECT_THROW(gibbs(graph, {.temperature = 0}), UsageError);
  EXPECT_THROW(gibbs_scan("zigzag"), UsageError);
}

TEST(Gibbs, WithoutAnAllowedAssignmentItSaysSo) {
  FactorGraph graph;
  const Variable a = graph.add_variable(2), b = graph.add_variable(2);
  graph.add_factor({a, b}, graph.add_table(std::vector{-kInf, 0., 0., -kInf}));
  graph.add_factor({a, b}, graph.add_table(std::vector{0., -kInf, -kInf, 0.}));
  EXPECT_THROW(gibbs(graph), Error);
}

// 16 x 16 at nearly the critical coupling: marginals are 1/2, and a chain takes hundreds of sweeps
// from one side to the other.
TEST(Gibbs, SaysNeitherConvergedNorSmallErrorsWhereItMixesSlowly) {
  FactorGraph graph;
  for (int v = 0; v < 256; ++v) graph.add_variable(2);
  const PotentialId pair = graph.add_potts(0.88, 0);
  for (Variable v = 0; v < 256; ++v) {
    if (v % 16 != 15) graph.add_factor({v, v + 1}, pair);
    if (v + 16 < 256) graph.add_factor({v, v + 16}, pair);
  }
  double square = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const GibbsResult found = gibbs(graph, {.seed = seed});
    EXPECT_FALSE(found.convergence.converged) << seed;
    EXPECT_LT(found.effective_samples, 640) << seed;
    for (Variable v = 0; v < 256; ++v) {
      const double away = (found.marginals[v][1] - 0.5) / found.standard_errors[v][1];
      square += away * away / (4 * 256);
    }
  }
  EXPECT_LT(std::sqrt(square), 1.7);
}

}  // namespace
}  // namespace croft::gibbs_test

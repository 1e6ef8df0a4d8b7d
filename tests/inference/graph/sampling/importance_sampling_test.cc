#include "inference/graph/sampling/importance_sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "croft/core/error.h"
#include "croft/inference/graph_brute_force.h"
#include "support/graph_number.h"

namespace croft::importance_sampling_test {
namespace {

using testing_graphs::graph_number;

// Each variable given up to two before it; some observed.
FactorGraph network(std::uint64_t seed, bool observed) {
  Random random(seed);
  FactorGraph graph;
  Evidence evidence;
  for (Variable v = 0; v < 5 + seed % 3; ++v) {
    const std::size_t states = 2 + random.below(2);
    graph.add_variable(states);
    std::vector<Variable> scope;
    for (Variable u = 0; u < v; ++u) {
      if (scope.size() < 2 && random.below(2) == 0) scope.push_back(u);
    }
    std::size_t rows = 1;
    for (const Variable u : scope) rows *= graph.states(u);
    scope.push_back(v);
    std::vector<double> scores;
    for (std::size_t r = 0; r < rows; ++r) {
      std::vector<double> row(states);
      double sum = 0;
      for (double& each : row) sum += each = 0.05 + random.uniform();
      for (const double each : row) scores.push_back(std::log(each / sum));
    }
    graph.add_factor(scope, graph.add_table(scores));
    evidence.push_back(observed && random.below(3) == 0 ? 0 : kUnobserved);
  }
  return condition(graph, evidence);
}

struct Tally {
  double squares = 0, tests = 0;
  void add(double found, double expected, double error, std::uint64_t seed) {
    if (error == 0) return;
    const double z = (found - expected) / error;
    EXPECT_LT(std::abs(z), 7) << seed;
    squares += z * z;
    ++tests;
  }
};

void compare(const FactorGraph& graph, const WeightedResult& result, std::uint64_t seed,
             Tally& tally) {
  const GraphBruteForce all = brute_force(graph);
  tally.add(std::exp(result.log_partition - all.log_partition), 1, result.log_standard_error, seed);
  for (Variable v = 0; v < graph.variables(); ++v) {
    for (State s = 0; s < graph.states(v); ++s) {
      // Of what was hardly seen, or hardly missed, the error is itself an accident.
      const double p = all.variable[v][s];
      if (result.effective_samples * std::min(p, 1 - p) < 20) continue;
      tally.add(result.marginals[v][s], all.variable[v][s], result.standard_errors[v][s], seed);
    }
  }
}

TEST(LikelihoodWeighting, IsWithinItsStandardErrors) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = network(seed, true);
    compare(graph, likelihood_weighting(graph, {.samples = 4000, .seed = seed}), seed, tally);
  }
  EXPECT_NEAR(tally.squares / tally.tests, 1, 0.2);
}

TEST(LikelihoodWeighting, WithoutEvidenceAllWeightsAreOne) {
  const WeightedResult result = likelihood_weighting(network(3, false), {.samples = 500});
  EXPECT_NEAR(result.log_partition, 0, 1e-9);
  EXPECT_NEAR(result.effective_samples, 500, 1e-6);
}

TEST(LikelihoodWeighting, OfOtherGraphsIsAnError) {
  EXPECT_THROW(likelihood_weighting(graph_number(1)), UsageError);
  FactorGraph cycle;
  cycle.add_variable(2);
  cycle.add_variable(2);
  const PotentialId half = cycle.add_table(std::vector(4, std::log(0.5)));
  cycle.add_factor({0, 1}, half);
  cycle.add_factor({1, 0}, half);
  EXPECT_THROW(likelihood_weighting(cycle), UsageError);
}

TEST(AnnealedImportanceSampling, IsWithinItsStandardErrors) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = graph_number(seed, {.spreads = {0.7}, .zeros = 0});
    compare(graph, annealed_importance_sampling(graph, {.runs = 800, .steps = 40, .seed = seed}),
            seed, tally);
  }
  EXPECT_NEAR(tally.squares / tally.tests, 1, 0.25);
}

TEST(AnnealedImportanceSampling, MoreStepsMakeWeightsAlike) {
  const FactorGraph graph = graph_number(9, {.spreads = {1.5}, .zeros = 0});
  const double few =
      annealed_importance_sampling(graph, {.runs = 200, .steps = 2}).effective_samples;
  const double many =
      annealed_importance_sampling(graph, {.runs = 200, .steps = 300}).effective_samples;
  EXPECT_GT(many, few);
  EXPECT_GT(many, 150);
}

// A factor of a variable and of one with a single state is the first one's, and counts once.
TEST(AnnealedImportanceSampling, VariablesOfOneStateChangeNothing) {
  FactorGraph graph;
  const Variable a = graph.add_variable(2), one = graph.add_variable(1);
  graph.add_factor({a, one},
                   graph.add_table(std::vector{-std::numeric_limits<double>::infinity(), 5.}));
  graph.add_factor({one, a}, graph.add_table(std::vector{1., 2.}));
  graph.add_factor({one}, graph.add_table(std::vector{3.}));
  const WeightedResult result = annealed_importance_sampling(graph, {.runs = 3, .steps = 2});
  EXPECT_NEAR(result.log_partition, 10, 1e-12);
  EXPECT_EQ(result.marginals[a], (std::vector{0., 1.}));
  EXPECT_TRUE(result.convergence.converged);
}

TEST(AnnealedImportanceSampling, ZerosGiveWeightZeroAndNeverNoNumber) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = graph_number(seed, {.spreads = {0.7}, .zeros = 5});
    const WeightedResult result =
        annealed_importance_sampling(graph, {.runs = 50, .steps = 5, .seed = seed});
    EXPECT_FALSE(std::isnan(result.log_partition));
    for (const auto& p : result.marginals) {
      for (const double each : p) EXPECT_TRUE(each >= 0 && each <= 1 + 1e-12);
    }
  }
}

// Rows as a file rounds them, that do not add up to 1: no draw of any number is nearer to Z.
TEST(LikelihoodWeighting, WeighsByWhatRoundingHasLeft) {
  FactorGraph graph;
  const std::vector<double> row{std::log(0.30004), std::log(0.70004)};
  for (Variable v = 0; v < 50; ++v) {
    graph.add_variable(2);
    graph.add_factor({v}, graph.add_table(row));
  }
  const double exact = 50 * std::log(1.00008);
  const WeightedResult result = likelihood_weighting(graph, {.samples = 100});
  EXPECT_NEAR(result.log_partition, exact, 1e-12);
  EXPECT_NEAR(result.log_standard_error, 0, 1e-6);
}

// With evidence of a probability of about 1e-4, and weights over many orders of magnitude: the mean
// weight has the expectation Z, and its standard error is that of its logarithm.
TEST(LikelihoodWeighting, IsUnbiasedAndItsErrorsAreRightWhereWeightsVary) {
  FactorGraph graph;
  Random random(5);
  const Variable n = 12;
  for (Variable v = 0; v < n; ++v) {
    graph.add_variable(2);
    std::vector<double> scores;
    for (int rows = 0; rows < (v == 0 ? 1 : 2); ++rows) {
      const double p = 0.05 + 0.9 * random.uniform();
      scores.push_back(std::log(p));
      scores.push_back(std::log(1 - p));
    }
    graph.add_factor(v == 0 ? std::vector<Variable>{0} : std::vector<Variable>{v - 1, v},
                     graph.add_table(scores));
  }
  Evidence evidence(n, kUnobserved);
  for (Variable v = 1; v < n; v += 2) evidence[v] = static_cast<State>(random.below(2));
  const FactorGraph given = condition(graph, evidence);
  const double exact = brute_force(given).log_partition;
  double sum = 0, squares = 0, z = 0;
  const int seeds = 400;
  for (int seed = 1; seed <= seeds; ++seed) {
    const WeightedResult r =
        likelihood_weighting(given, {.samples = 2000, .seed = static_cast<std::uint64_t>(seed)});
    const double ratio = std::exp(r.log_partition - exact);
    sum += ratio;
    squares += ratio * ratio;
    z += std::pow((r.log_partition - exact) / r.log_standard_error, 2);
  }
  const double mean = sum / seeds, variance = squares / seeds - mean * mean;
  EXPECT_LT(std::abs(mean - 1), 5 * std::sqrt(variance / seeds));
  EXPECT_NEAR(z / seeds, 1, 5 * std::sqrt(2.0 / seeds));
}

TEST(ImportanceSampling, StopsAndChecksItsOptions) {
  const FactorGraph graph = network(1, true);
  const GraphCallback stop = [](const GraphProgress& now) { return now.iteration < 512; };
  const WeightedResult result = likelihood_weighting(graph, {.samples = 100000}, stop);
  EXPECT_EQ(result.convergence.iterations, 512u);
  EXPECT_FALSE(result.convergence.converged);
  EXPECT_THROW(likelihood_weighting(graph, {.samples = 1}), UsageError);
  EXPECT_THROW(annealed_importance_sampling(graph, {.runs = 1}), UsageError);
  EXPECT_THROW(annealed_importance_sampling(graph, {.steps = 0}), UsageError);
}

}  // namespace
}  // namespace croft::importance_sampling_test

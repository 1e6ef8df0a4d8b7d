// The small graphs that the literature computes by hand.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <memory>

#include "croft/core/random.h"
#include "croft/inference/graph_brute_force.h"
#include "croft/inference/junction_tree.h"
#include "objective/graph/graph_objective.h"
#include "structure/factor_numbers.h"
#include "train/graph/graph_methods.h"

namespace croft::graph_examples_test {
namespace {

FactorGraph cycle_of_three(double scale) {
  FactorGraph graph;
  for (int v = 0; v < 3; ++v) graph.add_variable(2);
  const std::array<std::array<Variable, 2>, 3> scopes{{{0, 1}, {1, 2}, {0, 2}}};
  const std::vector<std::vector<double>> scores{
      {1.0, -0.5, 0.25, 0.75}, {0.5, 0.125, -1.0, 1.0}, {-0.25, 0.5, 1.5, 0.0}};
  for (std::size_t f = 0; f < 3; ++f) {
    std::vector<double> scaled = scores[f];
    for (double& each : scaled) each *= scale;
    graph.add_factor(scopes[f], graph.add_table(scaled));
  }
  return graph;
}

TEST(GraphExamples, ThreeVariablesInACycleAreExactByJunctionTreeAndApproximateByPropagation) {
  const FactorGraph graph = cycle_of_three(1);
  const GraphBruteForce truth = brute_force(graph);
  const double log_z = JunctionTree(graph, find_elimination_order(graph)).log_partition();
  SumProduct bp(graph);
  bp.run();
  EXPECT_NEAR(log_z, truth.log_partition, 1e-12);
  EXPECT_NEAR(bp.log_partition(), truth.log_partition, 0.2);
  EXPECT_GT(std::abs(bp.log_partition() - truth.log_partition), 1e-4);
}

struct Trained {
  std::vector<double> w;
  double loss = 0;  // minus the log-likelihood
};

Trained maximum_likelihood(const CliqueSchema& schema, CliqueData& data,
                           std::span<const std::size_t> features) {
  std::vector<GraphInstance> instances = data.unroll();
  const GraphLayout layout = make_graph_layout(schema, data.rows(), instances, features, {});
  ThreadPool pool(1);
  GraphProblem problem{.schema = schema,
                       .rows = data.rows(),
                       .layout = layout,
                       .instances = instances,
                       .pool = pool,
                       .regulariser = {.l2 = 0}};
  problem.stop = {.tolerance = 0, .gradient_tolerance = 1e-9};
  Trained result{std::vector<double>(layout.dimension(), 0.0), 0};
  result.loss = train_graph(problem, result.w, {}).objective;
  return result;
}

TEST(GraphExamples, ChainABCAsAMarkovNetworkReachesTheLikelihoodOfCounting) {
  CliqueSchema schema;
  schema.domains = {{"letter", {"0", "1"}}};
  schema.templates = {{"ab", {0, 0}, Interaction(InteractionKind::table, {2, 2})},
                      {"bc", {0, 0}, Interaction(InteractionKind::table, {2, 2})}};
  CliqueData data(schema);
  Random random(1);
  constexpr int kCases = 200;
  double count_a[2]{}, count_ab[2][2]{}, count_b[2]{}, count_bc[2][2]{};
  std::vector<std::array<State, 3>> cases;
  for (int n = 0; n < kCases; ++n) {
    const State a = random.uniform() < 0.3, b = random.uniform() < (a ? 0.8 : 0.4),
                c = random.uniform() < (b ? 0.1 : 0.6);
    cases.push_back({a, b, c});
    count_a[a] += 1;
    count_ab[a][b] += 1;
    count_b[b] += 1;
    count_bc[b][c] += 1;
    std::uint32_t v[3];
    for (int k = 0; k < 3; ++k)
      v[k] = data.add_variable(0, "case " + std::to_string(n), cases[n][k]);
    data.add_clique(0, {v[0], v[1]}, {{0, 1.0}});
    data.add_clique(1, {v[1], v[2]}, {{0, 1.0}});
  }
  double by_counting = 0;  // M[a,b] / M[a] and so on
  for (const auto& [a, b, c] : cases) {
    by_counting -=
        std::log(count_a[a] / kCases * count_ab[a][b] / count_a[a] * count_bc[b][c] / count_b[b]);
  }
  const std::vector<std::size_t> features{1, 1};
  EXPECT_NEAR(maximum_likelihood(schema, data, features).loss, by_counting, 1e-6);
}

TEST(GraphExamples, IsingGradientsAreDataMeansLessExpectations) {
  // x = 2 s - 1 in {-1, 1}: u x_i and w x_i x_j as tables.
  constexpr int kSpins = 4;
  const std::vector<double> u{0.3, -0.2, 0.5, 0.1};
  const std::array<std::array<Variable, 2>, 4> pairs{{{0, 1}, {1, 2}, {2, 3}, {0, 3}}};
  const std::vector<double> w{0.7, -0.4, 0.2, 0.9};
  FactorGraph graph;
  for (int v = 0; v < kSpins; ++v) graph.add_variable(2);
  for (Variable v = 0; v < kSpins; ++v) {
    graph.add_factor({v}, graph.add_table(std::vector{-u[v], u[v]}));
  }
  for (std::size_t e = 0; e < pairs.size(); ++e) {
    graph.add_factor(pairs[e], graph.add_table(std::vector{w[e], -w[e], -w[e], w[e]}));
  }
  const std::vector<State> data{1, 0, 0, 1};
  const auto spin = [](State s) { return s == 1 ? 1.0 : -1.0; };
  GraphLikelihood likelihood(graph, data, exact_sums());
  std::vector<double> g(graph.numbers().size(), 0);
  likelihood.evaluate(g);
  std::vector<double> mean(kSpins, 0), product(pairs.size(), 0);
  long double z = 0;
  for_each_assignment(graph, [&](std::span<const State> x, long double score) {
    const long double p = std::exp(score);
    z += p;
    for (int v = 0; v < kSpins; ++v) mean[v] += static_cast<double>(p) * spin(x[v]);
    for (std::size_t e = 0; e < pairs.size(); ++e) {
      product[e] += static_cast<double>(p) * spin(x[pairs[e][0]]) * spin(x[pairs[e][1]]);
    }
  });
  const auto norm = static_cast<double>(z);
  for (std::size_t v = 0; v < kSpins; ++v) {
    const double by_chain_rule = g[2 * v + 1] - g[2 * v];
    EXPECT_NEAR(-by_chain_rule, spin(data[v]) - mean[v] / norm, 1e-12);
  }
  for (std::size_t e = 0; e < pairs.size(); ++e) {
    const double* of_pair = g.data() + 2 * kSpins + 4 * e;
    const double by_chain_rule = of_pair[0] - of_pair[1] - of_pair[2] + of_pair[3];
    EXPECT_NEAR(-by_chain_rule,
                spin(data[pairs[e][0]]) * spin(data[pairs[e][1]]) - product[e] / norm, 1e-12);
  }
}

// f1 = 1(y_s = grass) G_s, f2 = 1(y_s = y_t) on a 2 x 3 picture: as a CRF two parameters, given how
// green each patch is; as a Markov random field the green is modelled, too, and the same two
// features get other weights.
TEST(GraphExamples, PatchesOfGrassHaveTwoWeightsAndOthersWhereTheGreenIsModelled) {
  const std::array<std::array<std::uint32_t, 2>, 7> pairs{
      {{0, 1}, {1, 2}, {3, 4}, {4, 5}, {0, 3}, {1, 4}, {2, 5}}};
  const auto train = [&](bool crf) {
    CliqueSchema schema;
    schema.domains = {{"patch", {"other", "grass"}}, {"green", {"no", "yes"}}};
    schema.templates = {{"green", {0}, Interaction(InteractionKind::listed, {2}, {1})},
                        {"alike", {0, 0}, Interaction(InteractionKind::same, {2, 2})},
                        {"both", {0, 1}, Interaction(InteractionKind::listed, {2, 2}, {3})}};
    CliqueData data(schema);
    Random random(9);
    for (int n = 0; n < 60; ++n) {
      const std::string group = std::to_string(n);
      const bool meadow = random.below(2) == 0;
      std::uint32_t v[6];
      for (std::uint32_t k = 0; k < 6; ++k) {
        const State grass = random.uniform() < (meadow ? 0.85 : 0.15);
        const State green = random.uniform() < (grass ? 0.8 : 0.05);
        v[k] = data.add_variable(0, group, grass);
        if (crf) {
          data.add_clique(0, {v[k]}, {{0, static_cast<double>(green)}});
        } else {
          data.add_clique(2, {v[k], data.add_variable(1, group, green)}, {{0, 1.0}});
        }
      }
      for (const auto& [a, b] : pairs) data.add_clique(1, {v[a], v[b]}, {{0, 1.0}});
    }
    const std::vector<std::size_t> features{crf ? 1u : 0u, 1, crf ? 0u : 1u};
    return maximum_likelihood(schema, data, features).w;
  };
  const std::vector<double> conditional = train(true), joint = train(false);
  ASSERT_EQ(conditional.size(), 2u);  // [green, alike]
  ASSERT_EQ(joint.size(), 2u);        // [alike, both]
  EXPECT_GT(conditional[0], 0.5);
  EXPECT_GT(conditional[1], 0.2);
  EXPECT_GT(std::abs(conditional[0] - joint[1]), 0.1);
}

// (5.27) with its printed sign would be log Psi(y) - sum b log(Psi / b) + ...: what holds is that
// log Z_B is minus the least Bethe free energy.
TEST(GraphExamples, BethesLogPartitionIsItsFormulaAndBothSurrogatesAgreeAtAFixedPoint) {
  FactorGraph graph = cycle_of_three(0.7);
  BeliefPropagationOptions options;
  options.tolerance = 1e-14;
  SumProduct bp(graph, options);
  ASSERT_TRUE(bp.run().converged);
  double bethe = 0;
  std::vector<double> degree(3, 0);
  for (Factor f = 0; f < 3; ++f) {
    const std::vector<double> b = bp.factor_belief(f), theta = graph.table(f);
    for (std::size_t k = 0; k < b.size(); ++k) bethe += b[k] * (theta[k] - std::log(b[k]));
    for (const Variable v : graph.scope(f)) degree[v] += 1;
  }
  for (Variable v = 0; v < 3; ++v) {
    for (const double b : bp.belief(v)) bethe += (degree[v] - 1) * b * std::log(b);
  }
  EXPECT_NEAR(bp.log_partition(), bethe, 1e-10);
  const std::vector<State> y{1, 0, 1};
  std::vector<double> a(graph.numbers().size()), b(a.size());
  GraphLikelihood surrogate(graph, y, bethe_sums(options));
  BeliefProduct product(graph, y, options);
  EXPECT_NEAR(surrogate.evaluate(a), bethe - graph.score(y), 1e-10);
  EXPECT_NEAR(product.evaluate(b), bethe - graph.score(y), 1e-10);
}

}  // namespace
}  // namespace croft::graph_examples_test

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "croft/core/error.h"
#include "objective/graph/graph_objective.h"
#include "support/graph_objectives.h"
#include "support/random_graph.h"

namespace croft::graph_surrogate_test {
namespace {

using testing_graphs::expect_its_derivative;
using testing_graphs::graph_number;
using testing_graphs::random_graph;
using testing_graphs::Shape;
using testing_graphs::states_number;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kGraphs = 200;

BeliefPropagationOptions precise() {
  BeliefPropagationOptions options;
  options.tolerance = 1e-13;
  options.max_iterations = 5000;
  return options;
}

TEST(BeliefProduct, EqualsBethesSurrogateAtAFixedPoint) {
  std::size_t converged = 0;
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    FactorGraph graph = graph_number(seed);
    for (double& each : graph.numbers()) each *= 0.5;
    const std::vector<State> known = states_number(graph, seed);
    BeliefProduct product(graph, known, precise());
    GraphLikelihood bethe(graph, known, bethe_sums(precise()));
    std::vector<double> a(graph.numbers().size()), b(a.size());
    const double of_product = product.evaluate(a), of_bethe = bethe.evaluate(b);
    if (!product.converged()) continue;
    ++converged;
    EXPECT_NEAR(of_product, of_bethe, 1e-8) << "seed " << seed;
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-12);
  }
  EXPECT_GT(converged, kGraphs * 9 / 10);
}

TEST(BeliefProduct, IsTheLikelihoodOnTrees) {
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    Random random(seed);
    FactorGraph graph = random_graph({.shape = seed % 2 ? Shape::tree : Shape::pieces}, random);
    const std::vector<State> known = states_number(graph, seed);
    BeliefProduct product(graph, known);
    GraphLikelihood exact(graph, known, exact_sums());
    std::vector<double> a(graph.numbers().size()), b(a.size());
    EXPECT_NEAR(product.evaluate(a), exact.evaluate(b), 1e-9);
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-9);
  }
}

TEST(BeliefProduct, HasItsDerivativeWherePropagationConverges) {
  for (std::uint64_t seed = 0; seed < kGraphs / 2; ++seed) {
    FactorGraph graph = graph_number(seed);
    for (double& each : graph.numbers()) each *= 0.3;
    const std::vector<State> known = states_number(graph, seed);
    BeliefProduct product(graph, known, precise());
    std::vector<double> gradient(graph.numbers().size());
    product.evaluate(gradient);
    if (product.converged()) expect_its_derivative(graph, product);
  }
}

// Whatever the messages are, the beliefs they make are a reparametrisation, and log Z_B by their
// normalisers (GV.6) is what makes up for it.  The free energy of such beliefs is another number.
TEST(BeliefProduct, IsNotTheFreeEnergyBeforePropagationHasConverged) {
  BeliefPropagationOptions once;
  once.max_iterations = 1;
  once.schedule = MessageSchedule::parallel;
  Random random(3);
  FactorGraph graph = random_graph({.shape = Shape::complete, .variables = 4}, random);
  const std::vector<State> known = states_number(graph, 3);
  BeliefProduct product(graph, known, once);
  GraphLikelihood bethe(graph, known, bethe_sums(once));
  std::vector<double> gradient(graph.numbers().size());
  const double by_product = product.evaluate(gradient);
  EXPECT_FALSE(product.converged());
  EXPECT_NEAR(by_product, bethe.evaluate(gradient), 1e-9);
  SumProduct bp(graph, once);
  bp.run();
  double energy = 0;
  std::vector<double> degree(graph.variables(), 0);
  for (Factor f = 0; f < graph.factors(); ++f) {
    const std::vector<double> b = bp.factor_belief(f), theta = graph.table(f);
    for (std::size_t k = 0; k < b.size(); ++k) energy += b[k] * (theta[k] - std::log(b[k]));
    for (const Variable v : graph.scope(f)) degree[v] += 1;
  }
  for (Variable v = 0; v < graph.variables(); ++v) {
    for (const double b : bp.belief(v)) energy += (degree[v] - 1) * b * std::log(b);
  }
  EXPECT_GT(std::abs(by_product - (energy - graph.score(known))), 1e-3);
}

TEST(BeliefProduct, IsFiniteWhereBeliefsInWhatIsKnownAreTooSmallForNumbers) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_variable(2);
  const PotentialId own = graph.add_table(std::vector{2000.0, 0.0});
  graph.add_factor({0}, own);
  graph.add_factor({1}, own);
  graph.add_factor({0, 1}, graph.add_potts(0.5, 0));
  const std::vector<State> known{1, 0};
  BeliefProduct product(graph, known);
  std::vector<double> gradient(graph.numbers().size());
  EXPECT_NEAR(product.evaluate(gradient), 2000.5, 1e-6);
}

TEST(BeliefProduct, IsInfiniteWhereWhatIsKnownIsForbidden) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_factor({0}, graph.add_table(std::vector{0.0, -kInf}));
  const std::vector<State> known{1};
  std::vector<double> gradient(2);
  EXPECT_EQ(BeliefProduct(graph, known).evaluate(gradient), kInf);
}

TEST(BeliefProduct, RefusesHiddenVariables) {
  const FactorGraph graph = graph_number(1);
  const std::vector<State> known(graph.variables(), kUnobserved);
  EXPECT_THROW(BeliefProduct(graph, known), UsageError);
}

// Of pairs, with shared tables in either direction, and Potts.
FactorGraph pairs_number(std::uint64_t seed) {
  Random random(seed);
  const Shape shapes[] = {Shape::tree, Shape::grid, Shape::complete, Shape::star};
  FactorGraph graph =
      random_graph({.shape = shapes[seed % 4], .variables = 4 + seed % 3, .spread = 1}, random);
  const auto n = static_cast<Variable>(graph.variables());
  const PotentialId potts = graph.add_potts(random.normal(), random.normal());
  for (Variable v = 0; v + 1 < n; ++v) graph.add_factor({v + 1, v}, potts);
  return graph;
}

TreeReweightedOptions precise_trees() {
  TreeReweightedOptions options;
  options.tolerance = 1e-13;
  options.max_iterations = 5000;
  options.damping = 0.3;
  return options;
}

TEST(TreeReweightedLikelihood, IsNeverBelowTheExactOneEvenWhenStopped) {
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    FactorGraph graph = pairs_number(seed);
    const std::vector<State> known = states_number(graph, seed);
    GraphLikelihood exact(graph, known, exact_sums());
    std::vector<double> gradient(graph.numbers().size());
    const double least = exact.evaluate(gradient);
    for (const std::size_t iterations : {1u, 3u, 1000u}) {
      TreeReweightedOptions options;
      options.max_iterations = iterations;
      GraphLikelihood trees(graph, known, tree_reweighted_sums(options));
      EXPECT_GE(trees.evaluate(gradient), least - 1e-9);
    }
  }
}

TEST(TreeReweightedLikelihood, IsExactOnTrees) {
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    Random random(seed);
    FactorGraph graph = random_graph({.shape = seed % 2 ? Shape::tree : Shape::pieces}, random);
    const std::vector<State> known = states_number(graph, seed);
    GraphLikelihood exact(graph, known, exact_sums());
    GraphLikelihood trees(graph, known, tree_reweighted_sums());
    std::vector<double> a(graph.numbers().size()), b(a.size());
    EXPECT_NEAR(trees.evaluate(a), exact.evaluate(b), 1e-9);
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-9);
  }
}

TEST(TreeReweightedLikelihood, HasItsDerivativeAtConvergence) {
  std::size_t converged = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    FactorGraph graph = pairs_number(seed);
    const std::vector<State> known = states_number(graph, seed);
    GraphLikelihood trees(graph, known, tree_reweighted_sums(precise_trees()));
    std::vector<double> gradient(graph.numbers().size());
    trees.evaluate(gradient);
    if (!trees.converged()) continue;
    ++converged;
    expect_its_derivative(graph, trees);
  }
  EXPECT_GT(converged, 50u);
}

TEST(TreeReweightedLikelihood, IsConvexAlongLines) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    FactorGraph graph = pairs_number(seed);
    const std::vector<State> known = states_number(graph, seed);
    GraphLikelihood trees(graph, known, tree_reweighted_sums(precise_trees()));
    std::vector<double> a(graph.numbers().begin(), graph.numbers().end()), b = a, ignored(a.size());
    Random random(seed + 50);
    for (double& each : b) each += 2 * random.normal();
    const auto value_at = [&](double t) {
      for (std::size_t k = 0; k < a.size(); ++k) {
        graph.numbers()[k] = (1 - t) * a[k] + t * b[k];
      }
      return trees.evaluate(ignored);
    };
    const double first = value_at(0), last = value_at(1);
    for (const double t : {0.25, 0.5, 0.75}) {
      EXPECT_LE(value_at(t), (1 - t) * first + t * last + 1e-7) << "seed " << seed;
    }
  }
}

TEST(TreeReweightedLikelihood, ExpectationsOfEachFactorAddUpToOne) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const FactorGraph graph = pairs_number(seed);
    TreeReweightedOptions options;
    options.max_iterations = 2;
    TreeReweighted trees(graph, options);
    trees.run();
    const TreeExpectations found = trees.expectations();
    EXPECT_GE(found.bound, trees.bound() - 1e-12);
    for (const std::vector<double>& each : found.factor) {
      double sum = 0;
      for (const double p : each) sum += p;
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

}  // namespace
}  // namespace croft::graph_surrogate_test

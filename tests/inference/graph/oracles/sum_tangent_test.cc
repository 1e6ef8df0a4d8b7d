// The change of expected counts along a direction against differences of the counts, and against
// the covariance by enumeration.
#include "inference/graph/oracles/sum_tangent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "inference/graph/oracles/sum_oracle.h"
#include "structure/factor_numbers.h"
#include "support/counting_graphs.h"

namespace croft::sum_tangent_test {
namespace {

using namespace testing_graphs;
constexpr double kInf = std::numeric_limits<double>::infinity();
using Vector = std::vector<double>;

Vector random_direction(const FactorGraph& graph, std::uint64_t seed) {
  Random random(seed + 1000);
  Vector out(graph.numbers().size());
  for (double& each : out) each = random.normal();
  return out;
}

Vector tangent_of(const FactorGraph& graph, const Vector& direction, double scale = 1) {
  SumTangent tangent(graph, [](const FactorGraph& g) { return find_elimination_order(g); });
  Vector out(direction.size(), 0.0);
  tangent.add(scale, direction, out);
  return out;
}

// Cov(counts, direction . counts), of all assignments.
Vector by_enumeration(const FactorGraph& graph, const Vector& direction) {
  double z = 0, mean = 0;
  Vector count(direction.size()), expected(direction.size()), product(direction.size());
  for_all(graph, [&](const std::vector<State>& x) {
    const double weight = std::exp(graph.score(x));
    if (weight == 0) return;
    std::ranges::fill(count, 0);
    add_counts(graph, x, 1, count);
    double along = 0;
    for (std::size_t k = 0; k < count.size(); ++k) along += direction[k] * count[k];
    for (std::size_t k = 0; k < count.size(); ++k) {
      expected[k] += weight * count[k];
      product[k] += weight * count[k] * along;
    }
    z += weight;
    mean += weight * along;
  });
  for (std::size_t k = 0; k < product.size(); ++k) {
    product[k] = product[k] / z - expected[k] / z * mean / z;
  }
  return product;
}

void expect_equal(const Vector& found, const Vector& expected, double tolerance) {
  for (std::size_t k = 0; k < found.size(); ++k) ASSERT_NEAR(found[k], expected[k], tolerance);
}

TEST(SumTangent, IsTheCovarianceOfCountsInGraphsOfAllShapes) {
  for (const Shape shape : {Shape::tree, Shape::grid, Shape::star, Shape::complete,
                            Shape::higher_order, Shape::pieces}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      Random random(seed);
      const FactorGraph graph =
          random_graph({.shape = shape, .variables = 5, .zeros = seed % 2 == 0 ? 0 : 0.2}, random);
      Vector direction = random_direction(graph, seed);
      const Vector found = tangent_of(graph, direction);
      for (std::size_t k = 0; k < direction.size(); ++k) {
        if (graph.numbers()[k] == -kInf) direction[k] = 0;
      }
      expect_equal(found, by_enumeration(graph, direction), 1e-12);
    }
  }
}

TEST(SumTangent, IsTheDerivativeOfExpectedCounts) {
  Random random(3);
  FactorGraph graph = random_graph({.shape = Shape::grid, .variables = 9}, random);
  const Vector direction = random_direction(graph, 3);
  const Vector found = tangent_of(graph, direction, 2);
  const Vector numbers(graph.numbers().begin(), graph.numbers().end());
  const auto counts = [&](double step) {
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      graph.numbers()[k] = numbers[k] + step * direction[k];
    }
    Vector out(numbers.size(), 0.0);
    exact_sums()(graph)->sums(2, out);
    return out;
  };
  const Vector above = counts(1e-5), below = counts(-1e-5);
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_NEAR(found[k], (above[k] - below[k]) / 2e-5, 1e-8);
  }
}

TEST(SumTangent, GoesThroughCounters) {
  std::size_t allowed = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const FactorGraph graph = counting_graph(seed, seed % 2 == 1);
    Vector direction = random_direction(graph, seed);
    for (std::size_t k = 0; k < direction.size(); ++k) {
      if (graph.numbers()[k] == -kInf) direction[k] = 0;
    }
    Vector ignored(direction.size());
    if (exact_sums()(graph)->sums(1, ignored) == -kInf) continue;
    ++allowed;
    expect_equal(tangent_of(graph, direction), by_enumeration(graph, direction), 1e-11);
  }
  EXPECT_GT(allowed, 20U);
}

TEST(SumTangent, OfLargeScoresKeepsItsDigits) {
  FactorGraph graph;
  const Variable a = graph.add_variable(2), b = graph.add_variable(2);
  graph.add_factor({a}, graph.add_table(Vector{1e5, 1e5}));
  graph.add_factor({a, b}, graph.add_table(Vector{-1e5, -1e5, -1e5, -1e5}));
  // p = 1/4 of each: the variance of [a = 0] is 1/4.
  expect_equal(tangent_of(graph, {1, 0, 0, 0, 0, 0}), {0.25, -0.25, 0.125, 0.125, -0.125, -0.125},
               1e-10);
}

TEST(SumTangent, AddsNothingWhereNothingIsAllowed) {
  FactorGraph graph;
  const Variable a = graph.add_variable(2);
  graph.add_factor({a}, graph.add_table(Vector{-kInf, -kInf}));
  expect_equal(tangent_of(graph, {1, 2}), {0, 0}, 0);
}

}  // namespace
}  // namespace croft::sum_tangent_test

// Random graphs for methods that look for the best assignment.
#pragma once
#include <limits>
#include <vector>

#include "support/random_graph.h"

namespace croft::testing_graphs {

// All shapes, with and without zeros, with ordinary and extreme scores, with ties.
inline FactorGraph map_graph(std::uint64_t seed,
                             std::vector<Shape> shapes = {Shape::tree, Shape::grid, Shape::star,
                                                          Shape::complete, Shape::higher_order,
                                                          Shape::pieces}) {
  Random random(seed);
  const double spreads[] = {1, 5, 400, 2000};
  FactorGraph graph = random_graph({.shape = shapes[seed % shapes.size()],
                                    .variables = 4 + seed % 5,
                                    .most_states = 2 + seed % 3,
                                    .spread = spreads[seed / 6 % 4],
                                    .zeros = seed % 5 == 0 ? 0.4 : 0},
                                   random);
  if (seed % 7 == 0) {  // whole numbers: many assignments are as good as each other
    for (PotentialId p = 0; p < graph.potentials(); ++p) {
      for (double& each : graph.numbers(p)) each = std::round(each / spreads[seed / 6 % 4]);
    }
  }
  return graph;
}

// Pairs by potentials with fast messages, and factors that count, too.
inline FactorGraph structured_graph(std::uint64_t seed) {
  Random random(seed);
  FactorGraph graph;
  const bool counting = seed % 2 == 0;
  const std::size_t n = 5 + seed % 3;
  for (std::size_t v = 0; v < n; ++v) {
    const Variable x = graph.add_variable(counting ? 2 : 2 + random.below(4));
    std::vector<double> own(graph.states(x));
    for (double& each : own) each = 2 * random.normal();
    graph.add_factor({x}, graph.add_table(own));
  }
  for (Variable u = 0; u < n; ++u) {
    for (Variable v = u + 1; v < n; ++v) {
      switch (random.below(6)) {
        case 0:
          graph.add_factor({u, v}, graph.add_potts(random.normal(), random.normal()));
          break;
        case 1:
          graph.add_factor({u, v}, graph.add_truncated_linear(random.uniform(), random.uniform()));
          break;
        case 2:
          graph.add_factor({v, u},
                           graph.add_truncated_quadratic(random.uniform(), 2 * random.uniform()));
          break;
        case 3:
          graph.add_factor({v, u}, graph.add_sparse(std::vector<std::uint64_t>{0, 2},
                                                    std::vector{1.0, random.normal()}, -0.5));
          break;
        default:
          break;
      }
    }
  }
  if (!counting) return graph;
  for (int k = 0; k < 3; ++k) {
    std::vector<Variable> scope;
    for (Variable v = 0; v < n; ++v) {
      if (random.below(3) > 0) scope.push_back(v);
    }
    if (scope.size() < 2) continue;
    std::vector<double> scores(scope.size() + 1);
    for (double& each : scores) {
      each = random.below(8) == 0 ? -std::numeric_limits<double>::infinity() : 2 * random.normal();
    }
    scores[scope.size() / 2] = 0;
    const PotentialId p = k == 0 ? graph.add_parity(seed % 4 == 0) : graph.add_cardinality(scores);
    graph.add_factor(scope, p);
  }
  return graph;
}

// Two states each, pairs that prefer to be equal (MP.3), some of them by force.
inline FactorGraph submodular_graph(std::uint64_t seed) {
  Random random(seed);
  FactorGraph graph;
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double spread = seed % 3 == 0 ? 500 : 2;
  const std::size_t n = 3 + seed % 8;
  const auto draw = [&] {
    const double a = spread * random.normal();
    return seed % 4 == 0 ? std::round(a / spread) : a;  // ties
  };
  for (std::size_t v = 0; v < n; ++v) {
    const Variable x = graph.add_variable(2);
    graph.add_factor({x}, graph.add_table(std::vector{draw(), draw()}));
  }
  for (Variable u = 0; u < n; ++u) {
    for (Variable v = u + 1; v < n; ++v) {
      if (random.below(2) == 0) continue;
      std::vector<double> pair{draw(), draw(), draw(), draw()};
      const double excess = pair[1] + pair[2] - pair[0] - pair[3];
      if (excess > 0) pair[random.below(2) == 0 ? 0 : 3] += excess;
      if (seed % 5 == 0 && random.below(3) == 0) pair[1 + random.below(2)] = -kInf;
      if (seed % 5 == 0 && random.below(6) == 0) pair[0] = pair[1] = -kInf;
      if (seed % 5 == 0 && random.below(6) == 0) pair[2] = pair[3] = -kInf;
      graph.add_factor({u, v}, graph.add_table(pair));
    }
  }
  return graph;
}

}  // namespace croft::testing_graphs

// Random graphs with known states, and derivatives by differences, for objectives of graphs.
#pragma once
#include <gtest/gtest.h>

#include <vector>

#include "objective/graph/graph_objective.h"
#include "support/random_graph.h"

namespace croft::testing_graphs {

// Of all shapes, with shared tables, Potts, sparse and cardinality potentials among them.
inline FactorGraph graph_number(std::uint64_t seed) {
  Random random(seed);
  const Shape shapes[] = {Shape::tree,     Shape::grid,         Shape::star,
                          Shape::complete, Shape::higher_order, Shape::pieces};
  FactorGraph graph = random_graph({.shape = shapes[seed % 6],
                                    .variables = 3 + seed % 4,
                                    .most_states = 2 + seed % 2,
                                    .spread = 1},
                                   random);
  const auto n = static_cast<Variable>(graph.variables());
  const PotentialId potts = graph.add_potts(random.normal(), random.normal());
  for (Variable v = 0; v + 1 < n; ++v) {
    if (random.below(2) == 0) graph.add_factor({v, static_cast<Variable>(v + 1)}, potts);
  }
  const std::vector<std::uint64_t> listed{1, 3};
  const PotentialId sparse =
      graph.add_sparse(listed, std::vector{random.normal(), random.normal()}, random.normal());
  graph.add_factor({0, static_cast<Variable>(n - 1)}, sparse);
  graph.add_factor({static_cast<Variable>(n - 1), 0}, sparse);
  std::vector<Variable> binary;
  for (Variable v = 0; v < n; ++v) {
    if (graph.states(v) == 2) binary.push_back(v);
  }
  std::vector<double> by_sum(binary.size() + 1);
  for (double& each : by_sum) each = random.normal();
  graph.add_factor(binary, graph.add_cardinality(by_sum));
  return graph;
}

inline std::vector<State> states_number(const FactorGraph& graph, std::uint64_t seed,
                                        double hidden = 0) {
  Random random(seed + 1000);
  std::vector<State> x;
  for (Variable v = 0; v < graph.variables(); ++v) {
    x.push_back(static_cast<State>(random.below(graph.states(v))));
    if (random.uniform() < hidden) x.back() = kUnobserved;
  }
  return x;
}

inline void expect_its_derivative(FactorGraph& graph, GraphObjective& objective) {
  std::vector<double> gradient(graph.numbers().size(), 0);
  objective.evaluate(gradient);
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    constexpr double kStep = 1e-5;
    const double kept = graph.numbers()[k];
    std::vector<double> ignored(gradient.size());
    graph.numbers()[k] = kept + kStep;
    const double above = objective.evaluate(ignored);
    graph.numbers()[k] = kept - kStep;
    const double below = objective.evaluate(ignored);
    graph.numbers()[k] = kept;
    EXPECT_NEAR(gradient[k], (above - below) / (2 * kStep), 1e-7) << "number " << k;
  }
}

}  // namespace croft::testing_graphs

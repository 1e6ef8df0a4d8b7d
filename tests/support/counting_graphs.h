// Random graphs with factors that count which states their variables are in.
#pragma once
#include <vector>

#include "support/random_graph.h"

namespace croft::testing_graphs {

inline CountedStates random_counted(const FactorGraph& graph, std::span<const Variable> scope,
                                    Random& random) {
  CountedStates counted{{}, false};
  for (const Variable v : scope) {
    const std::size_t one = random.below(graph.states(v));
    for (State x = 0; x < graph.states(v); ++x) {
      counted.counts.push_back(x == one || random.below(4) == 0);
    }
  }
  return counted;
}

// Over all variables, or most of them; hard: with -inf, of which all are 0 for one assignment.
inline PotentialId random_counting(FactorGraph& graph, std::span<const Variable> scope, bool hard,
                                   Random& random) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const CountedStates counted = random_counted(graph, scope, random);
  const double broken = hard ? -kInf : -random.uniform() * 3;
  const std::size_t k = random.below(scope.size() + 1);
  switch (random.below(hard ? 5 : 6)) {
    case 0:
      return graph.add_between(0, k, broken, counted);
    case 1:
      return graph.add_between(k, scope.size() + 3, broken, counted);
    case 2:
      return graph.add_between(k, k, broken, counted);
    case 3:
      return hard ? graph.add_parity(k % 2 == 1, counted)
                  : graph.add_between(1, k + 1, broken, counted);
    case 4: {
      std::vector<double> scores(scope.size() + 1);
      for (double& each : scores) each = hard && random.below(4) == 0 ? -kInf : random.normal();
      return graph.add_cardinality(scores, counted);
    }
    default:
      return graph.add_counts(std::vector<std::uint64_t>{0, 2, 3}, std::vector{0.5, -1.0, 1.5},
                              counted);
  }
}

// Pairs in a tree, or a few more, and one or two factors that count.  Where they are hard there may
// be no allowed assignment.
inline FactorGraph counting_graph(std::uint64_t seed, bool hard) {
  Random random(seed);
  FactorGraph graph = random_graph({.shape = seed % 3 == 0 ? Shape::grid : Shape::pieces,
                                    .variables = 4 + seed % 5,
                                    .most_states = 2 + seed % 2,
                                    .spread = 1},
                                   random);
  for (std::size_t k = 0; k < 1 + seed % 2; ++k) {
    std::vector<Variable> scope;
    for (Variable v = 0; v < graph.variables(); ++v) {
      if (k == 0 || random.below(3) > 0) scope.push_back(v);
    }
    if (scope.size() < 2) scope = {0, 1};
    const PotentialId id = random_counting(graph, scope, hard, random);
    graph.add_factor(scope, id);
  }
  return graph;
}

}  // namespace croft::testing_graphs

// A chain as a factor graph, whose numbers stand in the order: states by position, tied
// transitions.
#pragma once
#include <vector>

#include "croft/structure/chain.h"
#include "croft/structure/factor_graph.h"

namespace croft::testing_support {

// Dense transitions, no overlays.
inline FactorGraph graph_of(const ChainScores<double>& scores) {
  const std::size_t labels = scores.labels();
  FactorGraph graph;
  for (Variable t = 0; t < scores.length(); ++t) {
    graph.add_variable(labels);
    graph.add_factor({t}, graph.add_table(std::span(scores.state.row(t), labels)));
  }
  std::vector<double> edge;
  for (std::size_t i = 0; i < labels; ++i) {
    for (std::size_t j = 0; j < labels; ++j) edge.push_back(scores.transitions->log()(i, j));
  }
  const PotentialId tied = graph.add_table(edge);
  for (Variable t = 1; t < scores.length(); ++t) graph.add_factor({t - 1, t}, tied);
  return graph;
}

}  // namespace croft::testing_support

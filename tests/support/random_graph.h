// Random factor graphs that can be enumerated.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "croft/core/random.h"
#include "croft/structure/factor_graph.h"

namespace croft::testing_graphs {

// visit(x) for all assignments, the last variable changing fastest.
void for_all(const FactorGraph& graph, const auto& visit) {
  std::vector<State> x(graph.variables(), 0);
  for (bool more = true; more;) {
    visit(x);
    more = false;
    for (std::size_t v = x.size(); v-- > 0 && !more;) {
      more = ++x[v] < graph.states(static_cast<Variable>(v));
      if (!more) x[v] = 0;
    }
  }
}

enum class Shape { tree, grid, star, complete, higher_order, pieces };

struct RandomGraphOptions {
  Shape shape = Shape::tree;
  std::size_t variables = 6;  // grid: the square of the next root
  std::size_t most_states = 3;
  double spread = 2;  // standard deviation of scores
  double zeros = 0;   // share of scores that are -inf; one assignment always stays allowed
  bool unary = true;
};

inline std::vector<std::vector<Variable>> scopes_of(const RandomGraphOptions& o, Random& random) {
  const auto n = static_cast<Variable>(o.variables);
  std::vector<std::vector<Variable>> scopes;
  switch (o.shape) {
    case Shape::tree:
      for (Variable v = 1; v < n; ++v) {
        scopes.push_back({static_cast<Variable>(random.below(v)), v});
      }
      break;
    case Shape::pieces:  // a forest
      for (Variable v = 1; v < n; ++v) {
        if (random.below(3) > 0) scopes.push_back({static_cast<Variable>(random.below(v)), v});
      }
      break;
    case Shape::grid: {
      const auto side = static_cast<Variable>(std::lround(std::sqrt(double(n))));
      for (Variable r = 0; r < side; ++r) {
        for (Variable c = 0; c < side; ++c) {
          if (c + 1 < side) scopes.push_back({r * side + c, r * side + c + 1});
          if (r + 1 < side) scopes.push_back({r * side + c, (r + 1) * side + c});
        }
      }
      break;
    }
    case Shape::star:
      for (Variable v = 1; v < n; ++v) scopes.push_back({0, v});
      break;
    case Shape::complete:
      for (Variable u = 0; u < n; ++u) {
        for (Variable v = u + 1; v < n; ++v) scopes.push_back({v, u});
      }
      break;
    case Shape::higher_order:
      for (Variable k = 0; k < n; ++k) {
        std::vector<Variable> all(n);
        for (Variable v = 0; v < n; ++v) all[v] = v;
        shuffle(all, random);
        all.resize(std::min<std::size_t>(n, 1 + random.below(4)));
        scopes.push_back(all);
      }
      break;
  }
  if (o.unary) {
    for (Variable v = 0; v < n; ++v) scopes.push_back({v});
  }
  return scopes;
}

inline FactorGraph random_graph(RandomGraphOptions o, Random& random) {
  if (o.shape == Shape::grid) {
    const auto side = static_cast<std::size_t>(std::lround(std::sqrt(double(o.variables))));
    o.variables = side * side;
  }
  FactorGraph graph;
  std::vector<State> allowed;
  for (std::size_t v = 0; v < o.variables; ++v) {
    const std::size_t states = 2 + random.below(o.most_states - 1);
    graph.add_variable(states);
    allowed.push_back(static_cast<State>(random.below(states)));
  }
  for (const std::vector<Variable>& scope : scopes_of(o, random)) {
    std::size_t size = 1, kept = 0;
    for (const Variable v : scope) {
      kept = kept * graph.states(v) + allowed[v];
      size *= graph.states(v);
    }
    std::vector<double> scores(size);
    for (std::size_t i = 0; i < size; ++i) {
      const bool zero = random.uniform() < o.zeros && i != kept;
      scores[i] = zero ? -std::numeric_limits<double>::infinity() : o.spread * random.normal();
    }
    graph.add_factor(scope, graph.add_table(scores));
  }
  return graph;
}

}  // namespace croft::testing_graphs

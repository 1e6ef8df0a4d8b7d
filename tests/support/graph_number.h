// Small factor graphs by number: shapes, sizes, scores and zeros in turn.
#pragma once
#include <cmath>
#include <initializer_list>

#include "support/random_graph.h"

namespace croft::testing_graphs {

struct GraphsInTurn {
  std::vector<Shape> shapes = {Shape::tree,     Shape::grid,         Shape::star,
                               Shape::complete, Shape::higher_order, Shape::pieces};
  std::vector<double> spreads = {1, 5, 400, 2000};  // ordinary and extreme scores
  std::size_t zeros = 1, of = 5;                    // so many of so many graphs have some
  std::size_t no_unary_every = 0;                   // one of so many has no scores of one variable
};

inline FactorGraph graph_number(std::uint64_t seed, const GraphsInTurn& turn = {}) {
  Random random(seed);
  return random_graph({.shape = turn.shapes[seed % turn.shapes.size()],
                       .variables = 4 + seed % 5,
                       .most_states = 2 + seed % 3,
                       .spread = turn.spreads[seed / turn.shapes.size() % turn.spreads.size()],
                       .zeros = seed % turn.of < turn.zeros ? 0.4 : 0,
                       .unary = turn.no_unary_every == 0 || seed % turn.no_unary_every != 0},
                      random);
}

// What rounding may make of a sum of this size.
inline double rounding(double value) { return 1e-10 * std::max(1.0, std::abs(value)); }

}  // namespace croft::testing_graphs

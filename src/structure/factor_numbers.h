// Which of a graph's numbers scores what: expectations and counts in the shape of the numbers.
//
//   d log Z / d number = expected number of factors that are scored by it                 (GC.2)
//
// A graph's numbers, FactorGraph::numbers(), are its theta: what is summed here is dL/dtheta.
#pragma once
#include <cstdint>
#include <span>

#include "croft/structure/factor_graph.h"

namespace croft {

// A joint state that no number scores: of parity (0 or -inf), and of the truncated distances.
inline constexpr std::uint64_t kNoScore = ~std::uint64_t{0};

// The place in graph.numbers() of what scores factor f when its variables, in scope order, are in
// these states.
std::uint64_t number_of(const FactorGraph& graph, Factor f, std::span<const State> states);

// visit(place) for each joint state of the factor's scope, the last variable changing fastest.
template <class Visit>
void for_each_number(const FactorGraph& graph, Factor f, const Visit& visit) {
  const std::span<const Variable> scope = graph.scope(f);
  std::vector<State> at(scope.size(), 0);
  while (true) {
    visit(number_of(graph, f, at));
    std::size_t k = scope.size();
    for (; k > 0; --k) {
      if (++at[k - 1] < graph.states(scope[k - 1])) break;
      at[k - 1] = 0;
    }
    if (k == 0) return;
  }
}

// out += scale * expected counts of the numbers of factor f.
//   belief : of its joint states
//   out    : [graph.numbers().size()]
void add_expectations(const FactorGraph& graph, Factor f, std::span<const double> belief,
                      double scale, std::span<double> out);
// out += scale * counts of all factors' numbers where the variables are as in x.
void add_counts(const FactorGraph& graph, std::span<const State> x, double scale,
                std::span<double> out);

}  // namespace croft

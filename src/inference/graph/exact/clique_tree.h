// The cliques of an elimination order, and how they hang together.  Internal to inference/.
//
// A clique holds the variables E that are eliminated in it, and the separator S that it shares with
// its parent.  Koller & Friedman (2009) section 10.4; docs/math/graph_exact.md section 3.
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include "croft/structure/factor_graph.h"

namespace croft {

struct Clique {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  // In the order of its table: the last changes fastest.  The variables of a separator stand in the
  // same order in the clique and in its parent, so that no table is ever rearranged.
  std::vector<Variable> variables;
  std::vector<Variable> eliminated;  // E
  std::vector<Variable> separator;   // S; of a root what stays, mostly nothing
  std::size_t parent = kNone;
  std::vector<std::size_t> children;
  std::vector<Factor> factors;  // those whose first eliminated variable is here
};

struct CliqueTree {
  std::vector<Clique> cliques;    // children before parents
  std::vector<std::size_t> home;  // [variables] where it is eliminated; kNone for one state
  std::vector<Factor> constants;  // factors over nothing that has two states
  std::vector<Factor> untouched;  // factors over nothing that the order has
};

//   order : of all variables with two states or more; those that it lacks stay
//   spend : told of steps of some nanoseconds, as they are done; may throw
CliqueTree make_clique_tree(
    const FactorGraph& graph, const std::vector<Variable>& order,
    const std::function<void(double)>& spend = [](double) {});

}  // namespace croft

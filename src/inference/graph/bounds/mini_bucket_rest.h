// What a search has left of a graph, as a graph of its own: mini-buckets go on from there. Internal
// to inference/.
#pragma once
#include <optional>
#include <vector>

#include "inference/graph/reparametrisation.h"

namespace croft {

// The states whose beliefs are not -inf, of the variables that have two or more of them, with the
// reparametrised scores, which make mini-buckets tight.  The scores of assignments are the same.
struct RestOfGraph {
  FactorGraph graph;
  std::vector<Variable> variables;         // of the other graph
  std::vector<std::vector<State>> states;  // [variables of the other graph]

  // An assignment of the other graph.
  std::vector<State> whole(const std::vector<State>& x) const;
};

// None where the tables had more than `most` entries together.
std::optional<RestOfGraph> rest_of(Reparametrisation& scores, double most);

// An elimination order in bounded time: find_elimination_order's where the graph is simple enough
// for it, else by the fewest neighbours; none where they are too many for mini-buckets to say much.
std::optional<std::vector<Variable>> order_for_mini_buckets(const FactorGraph& graph);

}  // namespace croft

// Roof duality: what is certain of the best assignments of any graph of binary variables and pairs.
//
// Each variable is doubled (itself and its negation); a minimum cut of the doubled graph labels
// some variables, and there is a best assignment that agrees with all of these labels.  Its value
// bounds the score.  Hammer, Hansen & Simeone (1984); Boros & Hammer (2002);
// docs/math/graph_map.md section 3.
#pragma once
#include "croft/inference/map_result.h"

namespace croft {

struct PartialOptimality {
  std::vector<State> states;  // [variables]; kUnobserved where nothing is certain
  std::size_t labelled = 0;   // variables
  double bound = 0;           // no assignment has a larger score; -inf: none is allowed
};

// Throws UsageError for a variable of three states or more or a factor of three variables or more.
// All variables are labelled where some flips of states make the graph fit graph_cut.
PartialOptimality qpbo(const FactorGraph& graph);

// The same as a search: labels that are certain, state 0 elsewhere improved by iterated conditional
// modes.  Exact where all are labelled, or the bound is reached.
MapResult qpbo_map(const FactorGraph& graph);

}  // namespace croft

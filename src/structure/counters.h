// Parity and cardinality factors of many variables as chains of small ones.
//
// A cardinality factor of n variables has 2^n joint states.  With a counter beside each of its
// variables, c_k = c_(k-1) + x_k, it becomes n factors of three variables, and the last counter has
// its scores; parity counts modulo 2, and numbers beyond which all scores are -inf are one state.
#pragma once
#include "croft/structure/factor_graph.h"

namespace croft {

// The same distribution over the variables of `graph`, which keep their numbers; counters follow
// them.  The score of an assignment is the same with the one setting of the counters that fits it,
// and -inf with all others.  What the method of exact inference needs, and no other.
//   least : variables of a factor that is worth a chain, >= 2
FactorGraph with_counters(const FactorGraph& graph, std::size_t least = 6);

}  // namespace croft

// Parity and cardinality factors of many variables as chains of small ones.
//
// A factor that counts n variables has 2^n joint states and more.  With a counter beside each of
// its variables, c_k = c_(k-1) + [x_k counts], it becomes n factors of three variables, and the
// last one has its scores; parity counts modulo 2, and counts that have the same score from there
// on are one state.  docs/math/counting.md.
#pragma once
#include "croft/structure/factor_graph.h"
#include "structure/picked_graph.h"

namespace croft {

struct CounterOptions {
  // Joint states of a factor that is worth a chain; fewer, and no chain is smaller.
  std::uint64_t least = 64;
  // Whether -inf may become another number later: then counts that are not allowed are kept.
  bool scores_change = false;
};

// Whether some factor is worth a chain.
bool needs_counters(const FactorGraph& graph, const CounterOptions& options = {});

// The same distribution over the variables of `graph`, which keep their numbers; counters follow
// them.  The score of an assignment is the same with the one setting of the counters that fits it,
// and -inf with all others.  What methods need that go through tables, and no others.
PickedGraph with_counters(const FactorGraph& graph, const CounterOptions& options = {});

}  // namespace croft

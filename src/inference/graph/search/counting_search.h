// Log Z and marginals by search, with a cache of components.  Internal to inference/;
// docs/math/graph_exact.md section 11.
//
//   const CountingResult r = counting_search(graph, {.marginals = true});
//
// A variable is set to each of its states; what zeros then forbid is removed; what is left falls
// apart into components, each of which is solved once and remembered.  Contradictions become
// clauses that find others earlier.  It is exact in spite of wide cliques where factors have many
// zeros: formulas, pedigrees.  Bacchus, Dalmao & Pitassi (2003); Sang, Bacchus, Beame, Kautz &
// Pitassi (2004); Thurley (2006).
#pragma once
#include <cstddef>
#include <string>

#include "croft/inference/graph_result.h"
#include "croft/structure/factor_graph.h"

namespace croft {

struct CountingOptions {
  std::size_t max_nodes = 0;  // 0: no limit
  double memory = 1e9;        // bytes of what is remembered, about
  bool marginals = false;
  void validate() const;  // throws UsageError
};

struct CountingResult {
  bool finished = false;  // else nothing is known
  std::size_t nodes = 0;
  double log_partition = 0;     // exact; -inf: no assignment is allowed
  VariableMarginals marginals;  // where they are asked for and Z > 0
};

// Empty where the search can go through the graph; else why it cannot: a variable has more than 64
// states, or a factor more than 2^16 joint states.
std::string why_no_counting(const FactorGraph& graph);

// Throws Error where why_no_counting() is not empty.
CountingResult counting_search(const FactorGraph& graph, const CountingOptions& options = {},
                               const GraphCallback& progress = {});

}  // namespace croft

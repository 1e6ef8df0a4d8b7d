// The best assignment of a graph of binary variables whose pairs favour equal states, by a minimum
// cut.
//
//   theta(0,0) + theta(1,1) >= theta(0,1) + theta(1,0)   for every factor of two          (MP.3)
//
// (submodular in -theta; two labels of an associative model).  Kolmogorov & Zabih (2004);
// docs/math/graph_map.md section 2.
#pragma once
#include <string>

#include "croft/inference/map_result.h"

namespace croft {

// Exact.  Throws UsageError, which names the factor, for a variable of three states or more, a
// factor of three variables or more, and a factor that (MP.3) does not hold for.
// Cost: one maximum flow with a node for each variable, an edge for each factor of two.
MapResult graph_cut(const FactorGraph& graph);

// Why graph_cut would refuse; empty where it would not.
std::string why_no_graph_cut(const FactorGraph& graph);

}  // namespace croft

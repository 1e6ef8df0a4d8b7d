// Directed cycles, which a Bayesian network and an influence diagram must not have.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "croft/structure/factor_graph.h"
#include "croft/structure/influence_diagram.h"

namespace croft {

// The variables of a cycle, each a parent of the next one, and the last a parent of the first;
// empty where there is none.  Linear in the graph.
//   graph : the last variable of a scope has the others as its parents
//   decisions : have as their parents what is known when they are taken
std::vector<Variable> directed_cycle(const FactorGraph& graph,
                                     std::span<const GraphDecision> decisions = {});

// "a -> b -> a", shortened where it is long.
std::string cycle_text(std::span<const Variable> cycle,
                       const std::function<std::string(Variable)>& name_of);

}  // namespace croft

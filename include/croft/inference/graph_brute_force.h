// The oracle: every assignment of a factor graph, one by one.
//
// O(product of all states times factors): for tests, and for users who want to check a result on a
// small case.  Sums in long double from the definition; shares nothing with what it checks.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "croft/structure/factor_graph.h"

namespace croft {

// visit(x, score(x)) for every assignment with a finite score, in lexicographic order of x.
void for_each_assignment(
    const FactorGraph& graph,
    const std::function<void(std::span<const State> x, long double score)>& visit);

struct GraphBruteForce {
  double log_partition;                       // -inf when no assignment is allowed
  std::vector<State> best;                    // the first in lexicographic order among equals
  double best_score;                          // -inf when no assignment is allowed
  std::vector<std::vector<double>> variable;  // [variables][states] marginals; empty without Z
  std::vector<std::vector<double>> factor;    // [factors][joint states] marginals of its scope
};
GraphBruteForce brute_force(const FactorGraph& graph);

}  // namespace croft

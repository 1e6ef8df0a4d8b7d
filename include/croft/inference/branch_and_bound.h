// The best assignment with a proof, by depth-first branch and bound.
//
// Variables are fixed one by one.  At each node the scores are reparametrised until the factors
// agree with their variables (soft arc consistency, by the updates of mplp near the last decision);
// their sum bounds what is below, and states that cannot beat the best assignment known are
// removed. Larrosa & Schiex (2004), Cooper et al. (2010); Boussemart et al. (2004) for the choice
// of the variable; docs/math/graph_map.md section 9.
#pragma once
#include <cstdint>

#include "croft/inference/map_result.h"

namespace croft {

struct BranchAndBoundOptions {
  std::size_t max_nodes = 0;          // 0: no limit
  std::size_t k = 1;                  // how many of the best are looked for, >= 1
  double gap = 0;                     // an answer this near to the best one is enough; >= 0
  std::size_t root_iterations = 500;  // of trw_s before the search, >= 1
  // Of annealing, for a first assignment; 0: none, and none between runs of the search.
  std::size_t annealing_sweeps = 500;
  std::size_t restarts = 0;         // of the lazy flipper that looks for a better one
  std::uint64_t seed = 1;           // of both
  double table_bytes = 1e9;         // of mini-buckets at most, which guide one search; 0: none
  std::size_t callback_every = 64;  // nodes, >= 1
  void validate() const;            // throws UsageError
};

// The answer is exact when the search ends by itself.  Where k > 1, k_best has the best k that are
// allowed, or all, and nothing is cut off that is better than the last of them.  When the callback
// or max_nodes stops it, score and bound say how near it has come.  convergence.iterations: nodes;
// residual: bound less score. Memory: the scores of all factors, and the changes on the path to the
// present node.
MapResult branch_and_bound(const FactorGraph& graph, const BranchAndBoundOptions& options = {},
                           const GraphCallback& callback = {});

}  // namespace croft

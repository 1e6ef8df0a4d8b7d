// Multi-label graphs of pairs by moves that are minimum cuts: alpha-expansion, alpha-beta swap.
//
// A move lets every variable keep its state or take alpha (or change between alpha and beta), the
// best of exponentially many at a time.  Where a pair's scores make a move not submodular, it is
// solved by roof duality instead: variables that stay uncertain keep their state, so that no move
// makes the assignment worse.  Boykov, Veksler & Zabih (2001); Rother et al. (2007);
// docs/math/graph_map.md section 4.
#pragma once
#include <span>

#include "croft/inference/map_result.h"

namespace croft {

struct MoveMakingOptions {
  std::size_t max_iterations = 1000;  // rounds over all labels (or pairs of labels), >= 1
  void validate() const;              // throws UsageError
};

struct MoveMakingResult : MapResult {
  bool all_submodular = true;  // whether every move was the best one
};

// Rounds of moves from `start` (empty: each variable at the state that its own factors like best)
// until none of them helps.  With Potts pairs (equal preferred) the costs, relative to the best
// score of each factor, are at most twice those of the best assignment.
// Throws UsageError for factors of three variables or more.
MoveMakingResult alpha_expansion(const FactorGraph& graph, const MoveMakingOptions& options = {},
                                 std::span<const State> start = {},
                                 const GraphCallback& callback = {});
MoveMakingResult alpha_beta_swap(const FactorGraph& graph, const MoveMakingOptions& options = {},
                                 std::span<const State> start = {},
                                 const GraphCallback& callback = {});

}  // namespace croft

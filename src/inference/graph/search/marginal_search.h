// The best states of some variables, all others summed out, where that is too much for elimination:
//
//   max over x_A of log sum over x_B of exp score(x_A, x_B)                             (MP.13)
//
// Mini-buckets bound it, of sums and of maxima; depth-first search goes through A and has sums as
// its leaves; exact changes of a few variables of A at a time find assignments early.  Marinescu,
// Dechter & Ihler (2014); docs/math/graph_map.md section 12.
#pragma once
#include <cstdint>
#include <span>

#include "croft/inference/map_result.h"

namespace croft {

struct MarginalSearchOptions {
  std::size_t max_nodes = 0;  // 0: no limit
  std::uint64_t seed = 1;
  double table_bytes = 1e9;  // of mini-buckets, and of one exact sum, at most
  std::size_t moves = 10;    // of local search in each round
  void validate() const;     // throws UsageError
};

// `over` has variables of `graph`, each once; in the answer's states all others are 0.  score: the
// logarithm of the sum, exact; it is -inf, and states are those that the bound says are best, where
// not even one such sum fits the memory.  convergence.iterations: nodes.
MapResult marginal_search(const FactorGraph& graph, std::span<const Variable> over,
                          const MarginalSearchOptions& options = {},
                          const GraphCallback& callback = {});

}  // namespace croft

// The best states of some variables, all others summed out, where that is too much for elimination:
//
//   max over x_A of log sum over x_B of exp score(x_A, x_B)                             (MP.13)
//
// The blocks of block_search.h find assignments: exact changes of many variables of A at a time,
// with sums over B.  Where such a sum is too large, some variables of B are held at one state,
// which gives a lower bound.  Mini-buckets, of sums and of maxima, give an upper one, which a
// depth-first search through A with sums as its leaves lowers.  Marinescu, Dechter & Ihler (2014);
// docs/math/graph_map.md section 12.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/inference/map_result.h"

namespace croft {

struct MarginalSearchOptions {
  std::size_t max_nodes = 0;  // 0: no limit
  std::uint64_t seed = 1;
  double table_bytes = 1e9;  // of mini-buckets, and of one exact sum, at most
  std::size_t moves = 10;    // rounds of blocks, between the first runs of the search
  // [variables] an assignment to begin with; empty: what is found.
  std::vector<State> start = {};
  void validate() const;  // throws UsageError
};

struct MarginalMapResult : MapResult {
  // Variables of B that are held at one state in `score`: it is the logarithm of a sum without
  // their other states.  0: of the whole sum.
  std::size_t held = 0;
};

// `over` has variables of `graph`, each once; in the answer's states all others are 0.  Exact where
// it ends by itself.  convergence.iterations: nodes.
MarginalMapResult marginal_search(const FactorGraph& graph, std::span<const Variable> over,
                                  const MarginalSearchOptions& options = {},
                                  const GraphCallback& callback = {});

}  // namespace croft

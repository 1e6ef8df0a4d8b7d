// Exact sums over all variables but some, whose states are given or looked for in blocks.
// Internal to inference/; docs/math/graph_map.md section 12.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "croft/inference/map_result.h"
#include "inference/graph/exact/elimination.h"

namespace croft {

class SumsGiven {
 public:
  //   over     : the variables that are not summed out;  graph : kept by reference
  //   log2_states, memory : of what one question may take
  SumsGiven(const FactorGraph& graph, std::span<const Variable> over, double log2_states,
            double memory, GraphCallback goes_on);

  // The best states of `free`, some of `over`, while the others of them are as in x; score: the
  // logarithm of the sum.  None where that takes too much; throws Interrupted.
  std::optional<BestAssignment> best(std::span<const State> x,
                                     std::span<const Variable> free) const;
  // Some of `over` that lie near each other, `size` of them or all.
  std::vector<Variable> neighbourhood(std::size_t size, Random& random) const;

 private:
  const FactorGraph& graph_;
  const std::vector<Variable> over_;
  const double log2_states_, memory_;
  const GraphCallback goes_on_;
  const NeighbourLists lists_;
};

}  // namespace croft

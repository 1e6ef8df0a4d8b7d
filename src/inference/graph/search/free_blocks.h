// Large sets of variables that an exact solver can take at once while the others stay as they are.
// Internal to inference/; docs/math/graph_map.md section 11.
#pragma once
#include <cstddef>
#include <vector>

#include "croft/core/random.h"
#include "croft/structure/factor_graph.h"
#include "inference/graph/exact/elimination.h"

namespace croft {

// Variables that hang together, in an order of elimination.
using FreeBlock = std::vector<Variable>;

class FreeBlocks {
 public:
  explicit FreeBlocks(const FactorGraph& graph);

  // Blocks without a factor in common.  No clique of theirs has more than 2^log2_states joint
  // states, given the others.  As many variables are in one as greedy choices bring about.
  //   thickness : every so many layers around a variable, drawn, one stays as it is; 0: none
  std::vector<FreeBlock> draw(double log2_states, std::size_t thickness, Random& random) const;

  // Of two states or more.
  std::size_t variables() const { return several_.size(); }

 private:
  std::vector<std::size_t> layers_around(Variable middle) const;
  std::vector<FreeBlock> parts_of(const std::vector<Variable>& order) const;

  const NeighbourLists lists_;
  const Elimination start_;
  std::vector<Variable> several_;  // variables of two states or more
};

}  // namespace croft

// Large sets of variables that an exact solver can take at once while the others stay as they are.
// Internal to inference/; docs/math/graph_map.md section 11.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "croft/structure/factor_graph.h"
#include "inference/graph/exact/elimination.h"

namespace croft {

// Variables that hang together, in an order of elimination.
using FreeBlock = std::vector<Variable>;

class FreeBlocks {
 public:
  // The variables `summed` are in every block that they have a factor in common with, at its
  // beginning: all of them where none of their cliques, without the others, has more than
  // 2^most_sum joint states; else those that are left when none has more than 2^part_of_sum.
  explicit FreeBlocks(const FactorGraph& graph, std::span<const Variable> summed = {},
                      double most_sum = 0, double part_of_sum = 0);

  // Blocks without a factor in common.  No clique of theirs has more than 2^log2_states joint
  // states, given the others.  As many variables are in one as greedy choices bring about.
  //   thickness : every so many layers around a variable, drawn, one stays as it is; 0: none
  std::vector<FreeBlock> draw(double log2_states, std::size_t thickness, Random& random) const;

  // The number of variables of two states or more that are not summed out.
  std::size_t variables() const { return several_.size(); }
  // The variables that are summed out, in the order of their elimination.
  const std::vector<Variable>& summed() const { return summed_; }
  bool is_summed(Variable v) const { return is_summed_[v]; }
  double log2_largest_sum() const { return log2_largest_sum_; }  // of their cliques, without others

 private:
  std::vector<std::size_t> layers_around(Variable middle) const;
  std::vector<FreeBlock> parts_of(const std::vector<Variable>& order) const;

  const NeighbourLists lists_;
  const Elimination start_;
  std::vector<Variable> summed_, several_;
  std::vector<bool> is_summed_;  // [variables]
  double log2_largest_sum_ = 0;
};

}  // namespace croft

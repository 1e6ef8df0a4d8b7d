// The logarithm of the sum over all variables but some, whose states are given: by elimination, in
// an order that is found once.  Internal to inference/; docs/math/graph_map.md section 12.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "croft/inference/elimination_order.h"
#include "croft/structure/factor_graph.h"

namespace croft {

class SumsGiven {
 public:
  //   given : the variables that are not summed out;  graph : kept by reference
  //   log2_states, memory : of what one sum may take
  SumsGiven(const FactorGraph& graph, std::span<const Variable> given, double log2_states,
            double memory, GraphCallback goes_on);

  // With the states of x of those that are given; -inf where nothing is allowed.  None where that
  // takes too much; throws Interrupted.
  std::optional<double> sum(std::span<const State> x);

 private:
  FactorGraph at(std::span<const State> x) const;

  const FactorGraph& graph_;
  const std::vector<Variable> given_;
  const double log2_states_, memory_;
  const GraphCallback goes_on_;
  std::optional<EliminationOrder> order_;
  bool too_much_ = false;
};

}  // namespace croft

// Numbers whose sum is known: the terms of observed dsum nodes, and the counts of dmulti nodes that
// are not observed.  docs/math/bugs_samplers.md section 8.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "bugs/sampler.h"

namespace croft::bugs {

// sum over the terms of coefficient * value = total, or = the number at a slot that stands still.
struct SumConstraint {
  std::map<Slot, double> terms;
  double total = 0;
  Slot total_slot = kNothing;  // instead of `total`
  double right_side(const double* values) const {
    return total_slot == kNothing ? total : values[total_slot];
  }
};

// Nodes that constraints tie to each other.
struct SumGroup {
  std::vector<NodeId> nodes;  // in order
  std::vector<SumConstraint> constraints;
};

// All of a graph.  Throws InputError where a term of an observed dsum node is neither a node nor
// the same in all states, or is of a law whose numbers cannot be moved by themselves.
std::vector<SumGroup> sum_groups(const ModelGraph& graph);

// Moves nodes for which `held` is 0 so that the constraints are met where the supports allow it,
// and runs what depends on them.
void meet_sums(const ModelGraph& graph, const SumGroup& group,
               const std::vector<std::uint8_t>& held, double* values, Random& random);

std::unique_ptr<Sampler> make_sum_block(const ModelGraph& graph, SumGroup group);

}  // namespace croft::bugs

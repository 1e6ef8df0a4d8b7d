// Numbers that are a power of one node, times what does not move with it.
#pragma once
#include <optional>
#include <span>

#include "bugs/graph.h"

namespace croft::bugs {

// p where every slot is c x^p of the node's number x > 0, c > 0 whatever the rest; each slot has to
// depend on x.  From the operations between them.
std::optional<double> power_of(const ModelGraph& graph, NodeId id, std::span<const Slot> slots);

}  // namespace croft::bugs

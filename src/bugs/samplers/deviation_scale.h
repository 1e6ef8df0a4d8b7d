// A precision or deviation together with the deviations of its children: times s, whatever sees
// them.  As the moves of scales in a linear block, for nodes that are in none.
// docs/math/bugs_samplers.md section 5.
#pragma once
#include <memory>

#include "bugs/sampler.h"

namespace croft::bugs {

// Null where the node's children are not unobserved normal nodes with a power of it as precision.
std::unique_ptr<Sampler> make_deviation_scale(const ModelGraph& graph, NodeId id);

}  // namespace croft::bugs

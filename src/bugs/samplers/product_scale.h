// Moves along what products do not see:  s in S times t, b in B over t, where the graph has only
// products s * b of them.  The likelihood stays; t is drawn from what the priors say.
// docs/math/bugs_samplers.md section 5.
#pragma once
#include <memory>
#include <set>

#include "bugs/sampler.h"

namespace croft::bugs {

// From a node of S; null where its uses are others.  seen: gets S and B.
std::unique_ptr<Sampler> make_product_scale(const ModelGraph& graph, NodeId id,
                                            std::set<NodeId>& seen);

}  // namespace croft::bugs

// Several numbers that the same data tie together, moved at once along the shape that they have
// taken so far.
#pragma once
#include <memory>
#include <span>

#include "bugs/sampler.h"

namespace croft::bugs {

// Adaptive Metropolis (Haario, Saksman & Tamminen 2001): in the burn-in it learns the covariance S
// of the nodes, as numbers of the whole line, and proposes y + s L z with S = L L', z normal; s
// follows an acceptance of 0.3.  It is a move beside the samplers of the single nodes.
// docs/math/bugs_samplers.md section 6.  One update costs as much as a few values of the nodes'
// joint density.
//   nodes : continuous numbers without bounds on each other; no node depends on another one
// Null where they are not that, or fewer than two.
std::unique_ptr<Sampler> make_adaptive_metropolis(const ModelGraph& graph,
                                                  std::span<const NodeId> nodes);

}  // namespace croft::bugs

// Warnings about draws that their reader should not overlook.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "bugs/arrays.h"
#include "bugs/graph.h"
#include "bugs/run/monitors.h"
#include "bugs/sampler.h"
#include "bugs/sampling.h"

namespace croft::bugs {

// Values that depend on nodes that are drawn, and had the same value in every draw of every chain,
// and numbers that were none (NaN) in some draws, or with some probability.
std::vector<std::string> warnings_of(const ModelGraph& graph, const std::vector<Monitor>& monitors,
                                     const BugsResult& result);

// Returns a warning that names the nodes of a sampler, and a remedy; empty if it had no trouble.
std::string warning_of(const ModelGraph& graph, Trouble trouble, std::span<const NodeId> nodes);

// Discrete nodes that all chains start at the same value of, and what to do about it; empty: none.
std::string shared_start(const ModelGraph& graph, const Arrays& inits);

}  // namespace croft::bugs

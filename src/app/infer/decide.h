// The best decisions of a network that has some, with names.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "croft/data/graph_file.h"
#include "inference/graph/exact/decisions.h"

namespace croft {
class Json;

// Throws UsageError for a network with decisions that are neither taken nor asked for: other
// questions need them observed.
void check_decided(const GraphFile& file, std::span<const State> evidence);

// Given what is observed: a decision that is observed is taken already.  Throws UsageError for a
// network without decisions, for decisions whose order is not known, and where something is
// observed that an open decision has an effect on; Error where what is observed is impossible.
//   graph : that of the file, with a factor more for each finding of `soft`
BestDecisions decide(const GraphFile& file, const FactorGraph& graph,
                     std::span<const State> evidence, const std::vector<SoftFinding>& soft);

std::string format_answer(const BestDecisions& best, const GraphFile& file);
Json to_json(const BestDecisions& best, const GraphFile& file);

}  // namespace croft

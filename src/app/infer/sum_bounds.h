// Bounds of log Z that cost next to nothing, which estimates are held against.
#pragma once
#include "app/infer/infer_methods.h"

namespace croft {

// An upper bound: the factors' largest scores and the log of the number of assignments.
double most_of_factors(const FactorGraph& graph);
// Moves result.log_partition, an estimate, between that and the score of an assignment: the most
// probable states by `marginals`, after a local search.  An estimate that leaves the bounds by more
// than its standard error explains has not converged, and a note says so.
void hold_between_bounds(const FactorGraph& graph, const VariableMarginals& marginals,
                         InferResult& result);

}  // namespace croft

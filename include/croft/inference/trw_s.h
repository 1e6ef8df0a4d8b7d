// Sequential tree-reweighted message passing: a bound on the best score, and an assignment.
//
// Variables are visited in order and back.  Each collects what its factors know, and hands it on in
// equal parts to the factors that go further.  Kolmogorov (2006) has this for pairs, Kolmogorov
// (2015) for factors of any size.  The bound never rises; on trees it becomes the best score.
// docs/math/graph_map.md section 5.
#pragma once
#include "croft/inference/map_result.h"

namespace croft {

struct TrwSOptions {
  std::size_t max_iterations = 1000;  // forward and backward, >= 1
  // Converged where the bound falls by less in an iteration, relative to max(1, |bound|); >= 0.
  double tolerance = 1e-9;
  std::size_t decode_every = 1;  // iterations, >= 1; an assignment costs a third of an iteration
  void validate() const;         // throws UsageError
};

// Cost of an iteration: twice the joint states of all factors; for Potts and truncated distances
// twice the states, for cardinality and parity n log n.  Forbidden states (-inf) count as scores
// so low that no other factors can make up for them.
MapResult trw_s(const FactorGraph& graph, const TrwSOptions& options = {},
                const GraphCallback& callback = {});

}  // namespace croft

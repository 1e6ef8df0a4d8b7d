// Max-product linear programming: a bound on the best score by coordinate descent in the dual.
//
// Factor after factor shares its best scores evenly among its variables.  The bound never rises; it
// is that of the local polytope where descent does not get stuck.  Globerson & Jaakkola (2007),
// Sontag et al. (2011) algorithm 1; docs/math/graph_map.md section 6.
#pragma once
#include "croft/inference/map_result.h"

namespace croft {

struct MplpOptions {
  std::size_t max_iterations = 1000;  // over all factors, >= 1
  double tolerance = 1e-9;            // as in TrwSOptions
  std::size_t decode_every = 1;       // iterations, >= 1
  void validate() const;              // throws UsageError
};

MapResult mplp(const FactorGraph& graph, const MplpOptions& options = {},
               const GraphCallback& callback = {});

}  // namespace croft

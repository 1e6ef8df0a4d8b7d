#pragma once
#include "croft/inference/map_result.h"

namespace croft {

// Max-product linear programming: a bound on the best score by coordinate descent in the dual.
//
// Factor after factor shares its best scores evenly among its variables.  The bound never rises; it
// is that of the local polytope where descent does not get stuck.  Globerson & Jaakkola (2007),
// Sontag et al. (2011) algorithm 1; docs/math/graph_map.md section 6.
struct MplpOptions {
  std::size_t max_iterations = 1000;  // over all factors, >= 1
  double tolerance = 1e-9;            // as in TrwSOptions
  std::size_t decode_every = 1;       // iterations, >= 1
  void validate() const;              // throws UsageError
};

MapResult mplp(const FactorGraph& graph, const MplpOptions& options = {},
               const GraphCallback& callback = {});

// Dual decomposition: every factor and every variable finds its own best states, and prices make
// them agree.
//
// Subgradient descent on the bound, which need not fall at each step: the result has the lowest
// one. Unlike mplp and trw_s it does not get stuck.  Komodakis, Paragios & Tziritas (2007);
// docs/math/graph_map.md section 7.
struct DualDecompositionOptions {
  std::size_t max_iterations = 1000;  // >= 1
  // Of the way to the best score known that the first steps aim at; > 0 and < 2.  Halved when the
  // bound has not fallen for 20 iterations.
  double step = 1;
  double tolerance = 1e-9;       // converged where bound and score come as near, as in TrwSOptions
  std::size_t decode_every = 1;  // iterations, >= 1
  void validate() const;         // throws UsageError
};

MapResult dual_decomposition(const FactorGraph& graph, const DualDecompositionOptions& options = {},
                             const GraphCallback& callback = {});

}  // namespace croft

// Generalised belief propagation: messages between regions, to the stationary points of Kikuchi's
// free energy.
//
//   const GeneralisedResult r = generalised_propagation(
//       graph, make_region_graph(graph, loop_clusters(graph, 4)));
//   r.log_partition;      // Kikuchi's estimate
//
// Cycles within a region are summed exactly.  With the factors alone as clusters it is belief
// propagation.  Yedidia, Freeman & Weiss (2005); Heskes, Albers & Kappen (2003);
// docs/math/graph_variational.md section 7.
#pragma once
#include <cstddef>
#include <string_view>

#include "croft/inference/graph_result.h"
#include "inference/graph/messages/region_graph.h"

namespace croft {

enum class RegionScheme {
  one_loop,    // fast where it converges
  double_loop  // each outer iteration raises Kikuchi's log Z, once its inner ones have converged
};
RegionScheme region_scheme(std::string_view name);  // throws UsageError that lists the names

struct GeneralisedOptions {
  RegionScheme scheme = RegionScheme::double_loop;
  double damping = 0;       // in [0, 1): the share of a belief's old logarithms that it keeps
  double tolerance = 1e-9;  // converged when no belief changes by more in an iteration; > 0
  std::size_t max_iterations = 1000;  // of the double loop: outer ones; >= 1
  // Of the double loop, at most, of each outer one; >= 1.  3 have converged on all grids of
  // docs/study/graph_methods.md, in a tenth of the time of 100, with which convergence is certain.
  std::size_t inner_iterations = 3;
  void validate() const;  // throws UsageError
};

struct GeneralisedResult {
  // exact at a contradiction, and, converged, where the regions are acyclic.
  ResultKind kind = ResultKind::estimate;
  Convergence convergence;
  bool contradiction =
      false;                 // proved: Z = 0; log_partition is -inf then, and there are no beliefs
  double log_partition = 0;  // (GV.16)
  VariableMarginals beliefs;
  std::vector<std::vector<double>> outer;  // [outer regions][joint states]
};

// Time of an iteration: the joint states of each outer region, once for each of its inner ones. All
// in logarithms: scores of any size, and -inf, are right.  The progress of the double loop has
// Kikuchi's log Z as its value.
GeneralisedResult generalised_propagation(const FactorGraph& graph, const RegionGraph& regions,
                                          const GeneralisedOptions& options = {},
                                          const GraphCallback& callback = {});

}  // namespace croft

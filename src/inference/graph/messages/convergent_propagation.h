// Belief propagation that always converges: Bethe's free energy lowered step by step.
//
//   const DoubleLoopResult result = convergent_propagation(graph);
//   result.log_partition;       // Bethe's estimate at the fixed point
//
// Bethe's log Z is a sum of a concave and a convex function of the beliefs.  An outer iteration
// puts a plane in the place of the convex one and finds the maximum of what is left, which is
// concave, by inner iterations of messages: log Z_B never falls.  Slower than belief_propagation.h
// where that converges, to the same fixed points.  Yuille (2002); Heskes, Albers & Kappen (2003);
// docs/math/graph_variational.md section 4.
#pragma once
#include <cstddef>

#include "croft/inference/graph_result.h"
#include "croft/structure/factor_graph.h"

namespace croft {

struct DoubleLoopOptions {
  double tolerance = 1e-9;  // converged when no belief changes by more in an outer iteration; > 0
  std::size_t max_iterations = 1000;  // outer ones; >= 1
  std::size_t inner_iterations =
      100;                // at most, of each outer one; ends at the same tolerance; >= 1
  void validate() const;  // throws UsageError
};

struct DoubleLoopResult {
  ResultKind kind = ResultKind::estimate;  // exact on a forest, converged, and at a contradiction
  Convergence convergence;
  bool contradiction =
      false;                 // proved: Z = 0; log_partition is -inf then, and there are no beliefs
  double log_partition = 0;  // (GV.6)
  VariableMarginals beliefs;
};

// The progress has log Z_B as its value.  Time of an inner iteration: each factor once for each of
// its variables.
DoubleLoopResult convergent_propagation(const FactorGraph& graph,
                                        const DoubleLoopOptions& options = {},
                                        const GraphCallback& callback = {});

}  // namespace croft

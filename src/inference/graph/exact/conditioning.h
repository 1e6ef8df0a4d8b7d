// Exact inference in a factor graph whose junction tree does not fit: cutset conditioning.
//
//   Z = sum_c Z(x_C = c)                                                                (GS.7)
//
// A few variables C are chosen so that the tables of the rest fit; each of their joint states is
// one junction tree.  Time instead of memory.  Pearl (1988) section 4.4; Dechter (2003) chapter 10;
// docs/math/graph_sampling.md section 6.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "croft/inference/elimination_order.h"
#include "croft/inference/graph_result.h"
#include "croft/inference/junction_tree.h"
#include "croft/inference/map_result.h"
#include "croft/structure/factor_graph.h"

namespace croft {

struct ConditioningOptions {
  double memory = double(1ull << 30);  // bytes that the tables of one junction tree may take
  std::size_t restarts = 4;            // of the search for orders, each time a variable is added
  std::uint64_t seed = 1;
  std::optional<EliminationOrder> order = {};  // one that is known: no others are looked for
  GraphCallback progress = {};                 // of planning: as EliminationOptions::progress
  void validate() const;                       // throws UsageError
};

// What is summed over, and what that will cost.
struct ConditioningPlan {
  std::vector<Variable> cutset;  // in the order in which they were chosen
  EliminationOrder order;        // of the rest
  double bytes = 0;              // of one junction tree at most
  double log2_cutset = 0;        // joint states of the cutset
  double log2_joint_states = 0;  // of all cliques of all junction trees: what time grows with
};

// Adds, until the limit is kept, the variable that takes the most of the largest separators for its
// states.  Throws Error where the factors alone do not fit, and as find_elimination_order.
ConditioningPlan plan_conditioning(const FactorGraph& graph,
                                   const ConditioningOptions& options = {});

struct ConditionedSum {
  // log Z, exact; after a stop a lower bound: what the joint states so far add up to.
  double log_partition = 0;
  ResultKind kind = ResultKind::exact;
  Convergence convergence;  // iterations: joint states of the cutset that were summed
};
struct ConditionedMarginals {
  ConditionedSum sum;
  // Exact if sum.kind is; otherwise those of the joint states so far, an estimate.
  VariableMarginals variable;
};

// `progress` is called after each joint state of the cutset, and within its junction tree, with
// what is known by then. Throw Error where the cutset has 2^62 joint states or more.
ConditionedSum conditioned_log_partition(const FactorGraph& graph, const ConditioningPlan& plan,
                                         const GraphCallback& progress = {});
// Throws Error where no assignment is allowed, or none was seen before it was stopped.
ConditionedMarginals conditioned_marginals(const FactorGraph& graph, const ConditioningPlan& plan,
                                           const GraphCallback& progress = {});
// After a stop the best so far: a lower bound.
MapResult conditioned_best(const FactorGraph& graph, const ConditioningPlan& plan,
                           const GraphCallback& progress = {});

}  // namespace croft

// Lower bounds on log Z by distributions that are easy to sum: mean field.
//
//   const MeanFieldResult q = mean_field(graph);
//   q.bound;        // <= log Z, whatever q is
//   q.marginals;
//
//   log Z >= sum_f E_q[theta_f] + H(q)                                              (GV.11)
//
// Coordinate ascent: one part of q after the other becomes the best one, given the rest.  So the
// bound never falls.  Jordan et al. (1999); Saul & Jordan (1996); Wainwright & Jordan (2008)
// section 5; docs/math/graph_variational.md section 6.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/inference/graph_result.h"
#include "croft/structure/factor_graph.h"

namespace croft {

struct MeanFieldOptions {
  double tolerance = 1e-9;  // converged when no marginal changes by more in an iteration; > 0
  std::size_t max_iterations = 1000;  // of each start, through all variables; >= 1
  // The first start is nearly uniform, the others are random, and the best bound wins; >= 1.  Where
  // factors forbid joint states, each start is a random allowed assignment: q must give no weight
  // to what is forbidden, or the bound is -inf.
  std::size_t starts = 1;
  std::uint64_t seed = 1;
  void validate() const;  // throws UsageError
};

struct MeanFieldResult {
  ResultKind kind = ResultKind::lower_bound;  // exact where no factor joins two parts of q
  Convergence convergence;                    // of the start that won; iterations are those of all
  bool contradiction = false;                 // proved: Z = 0; bound is -inf then
  double bound = 0;             // -inf, too, where no allowed assignment was found to start with
  VariableMarginals marginals;  // of q; empty where the bound is -inf
  // Factors that forbid joint states of variables in different parts of q.  q then has its weight
  // on states that all go together, a corner of what is allowed: neither its bound nor its
  // marginals need be near the truth.
  std::size_t forbidding = 0;
};

// q(x) = prod_v q_v(x_v).  The progress has the best bound as its value, after each iteration.
// Time of an iteration: O(scope times joint states) for a table, O(scope times listed states) for a
// sparse one, O(states) for Potts, O(scope^3) for cardinality.
MeanFieldResult mean_field(const FactorGraph& graph, const MeanFieldOptions& options = {},
                           const GraphCallback& callback = {});

// Parts of the variables, such that the factors inside each part make a forest: first come, first
// served.  On a grid: combs.
std::vector<std::vector<Variable>> forest_parts(const FactorGraph& graph);

// q(x) = prod_C q_C(x_C), over parts of the variables, each summed exactly by its junction tree.
//   parts : forest_parts(graph), or any others; each variable is in one
// Throws UsageError for parts that are none, or whose junction tree takes over 1 GiB, and Error for
// a factor of more than 2^28 joint states: all become tables here.
MeanFieldResult structured_mean_field(const FactorGraph& graph,
                                      std::span<const std::vector<Variable>> parts,
                                      const MeanFieldOptions& options = {},
                                      const GraphCallback& callback = {});

}  // namespace croft

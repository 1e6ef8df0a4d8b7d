// Gibbs sampling in any factor graph: marginals with their standard errors, assignments.
//
//   x_v ~ p(x_v | all others)  for one variable after the other,                        (GS.1)
//
// This step leaves p as it is.  From any start the chain comes nearer and nearer to p, if every
// allowed assignment can be reached.  Geman & Geman (1984); docs/math/graph_sampling.md.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "croft/inference/graph_result.h"
#include "croft/structure/factor_graph.h"

namespace croft {

enum class GibbsScan {
  coloured,    // colour after colour: no two variables of one share a factor
  sequential,  // in the order of their numbers
  random       // as many as there are, each drawn from all
};             // with blocks: `random` draws which block, the others take them in turn
enum class GibbsBlocks {
  none,   // one variable at a time
  pairs,  // two that share a factor, one pair after the other
  trees   // forests that the others cut the graph into, each drawn exactly
};
GibbsScan gibbs_scan(std::string_view name);      // throws UsageError that lists the names
GibbsBlocks gibbs_blocks(std::string_view name);  // likewise

struct GibbsOptions {
  std::size_t sweeps = 10000;  // of each chain, that are counted; a sweep is one turn of every site
  std::size_t burn_in = 1000;  // sweeps before them
  std::size_t thin = 1;        // of so many sweeps the last is counted
  std::size_t chains = 4;      // from starts of their own
  std::size_t samples = 0;     // assignments to keep, of all chains together
  double temperature = 1;      // draws from p^(1 / temperature), normalised
  GibbsScan scan = GibbsScan::coloured;
  GibbsBlocks blocks = GibbsBlocks::none;
  std::uint64_t seed = 1;
  std::size_t threads = 1;  // 0: one for each processor; does not change the result
  void validate() const;    // throws UsageError
};

struct GibbsResult {
  ResultKind kind = ResultKind::estimate;
  VariableMarginals marginals;
  VariableMarginals standard_errors;  // the same shape; NaN: it never moved, unproved
  std::vector<std::vector<State>> samples;
  // converged: every R-hat is at most 1.01, and effective_samples are 160 of each chain or more, so
  // that batches are long enough to tell errors from.  iterations: sweeps of each chain, with the
  // burn-in. residual: the largest R-hat, less 1 (split chains, of indicators of states).
  Convergence convergence;
  double effective_samples = 0;  // of the state that has the fewest
  // There are zeros that single moves may not get around: parts of the allowed assignments may
  // never have been visited, and the errors know nothing of them.
  bool possibly_reducible = false;
};

// Throws UsageError for options that do not fit.  Throws Error where it finds no allowed assignment
// and where it is stopped before two sweeps were counted.  `progress` gets the sweeps so far.
// Time O(sweeps * sites) table look-ups where a variable and its neighbours have up to 4096 joint
// states, otherwise O(states) scores of its factors each.
GibbsResult gibbs(const FactorGraph& graph, const GibbsOptions& options = {},
                  const GraphCallback& progress = {});

}  // namespace croft

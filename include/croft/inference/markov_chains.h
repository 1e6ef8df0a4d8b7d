// Markov chains beside Gibbs sampling: Swendsen-Wang, parallel tempering, Metropolis-Hastings.
//
// All leave p as it is, and answer as gibbs() does: shares, their standard errors, R-hat.  Sources
// and equations: docs/math/graph_sampling.md section 7.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "croft/core/random.h"
#include "croft/inference/gibbs.h"
#include "croft/inference/graph_result.h"
#include "croft/structure/factor_graph.h"

namespace croft {

struct ChainOptions {
  std::size_t sweeps = 10000;  // of each chain, that are counted; >= 64
  std::size_t burn_in = 1000;  // sweeps before them
  std::size_t chains = 4;      // from starts of their own; >= 1
  std::size_t samples = 0;  // assignments to keep, of all chains together, evenly over the sweeps
  std::uint64_t seed = 1;
  void validate() const;  // throws UsageError
};

// Clusters of equal neighbours change together (Swendsen & Wang 1987).  For factors of two
// variables with one score where they are equal and another, not larger one where they differ, as
// Potts or as a table, and any of one variable; UsageError names a factor that is neither.
GibbsResult swendsen_wang(const FactorGraph& graph, const ChainOptions& options = {},
                          const GraphCallback& progress = {});

struct TemperingOptions : ChainOptions {
  std::size_t temperatures = 8;  // >= 2, from 1 up, each times the same number
  double hottest = 10;           // > 1
  void validate() const;
};
// Copies at higher temperatures, which cross what is unlikely, change places with their neighbours
// (Geyer 1991); the copy at temperature 1 is counted.
GibbsResult parallel_tempering(const FactorGraph& graph, const TemperingOptions& options = {},
                               const GraphCallback& progress = {});

// What a proposal would change.
struct Move {
  std::vector<std::pair<Variable, State>> changes;  // each variable once
  double log_ratio = 0;  // log q(back) - log q(there): 0 where both are as likely
};
// From an assignment [variables] to a move.
using Proposal = std::function<void(std::span<const State> x, Random& random, Move& move)>;
// One variable, any, to another state, any.
Proposal uniform_proposal(const FactorGraph& graph);

// Moves of the caller's, taken with probability min(1, p(x') q(back) / (p(x) q(there))) (Hastings
// 1970).  A sweep has as many proposals as there are variables.  The caller must know that the
// moves lead everywhere.
GibbsResult metropolis_hastings(const FactorGraph& graph, const Proposal& proposal,
                                const ChainOptions& options = {},
                                const GraphCallback& progress = {});

}  // namespace croft

// Log Z by weighted draws: likelihood weighting, annealed importance sampling.
//
// The mean weight has the expectation Z, exactly; its logarithm is the estimate.
// docs/math/graph_sampling.md section 8.
#pragma once
#include <cstdint>

#include "croft/inference/graph_result.h"
#include "croft/structure/factor_graph.h"

namespace croft {

struct WeightedResult {
  ResultKind kind = ResultKind::estimate;  // exact: Z = 0 is proved
  Convergence convergence;   // iterations: draws; converged: all were made, and some have a weight
  double log_partition = 0;  // -inf where every weight was 0: an estimate of -inf proves nothing
  double log_standard_error = 0;  // of that, by the spread of the weights
  double effective_samples = 0;   // (sum w)^2 / sum w^2
  VariableMarginals marginals;    // empty where every weight was 0
  VariableMarginals standard_errors;
};

struct LikelihoodWeightingOptions {
  std::size_t samples = 100000;  // >= 2
  std::uint64_t seed = 1;
  void validate() const;  // throws UsageError
};
// Draws each variable given its parents, and weighs by what is left: the probability of what was
// observed (Fung & Chang 1990; Shachter & Peot 1990).  For graphs of which each variable has a
// factor that adds up to 1 over it, without a cycle, as Bayesian networks do after evidence, too;
// UsageError elsewhere.  O(factors) for a draw.
WeightedResult likelihood_weighting(const FactorGraph& graph,
                                    const LikelihoodWeightingOptions& options = {},
                                    const GraphCallback& progress = {});

struct AnnealedOptions {
  std::size_t runs = 100;    // >= 2
  std::size_t steps = 1000;  // temperatures of each, a Gibbs sweep each; >= 1
  std::uint64_t seed = 1;
  void validate() const;
};
// From independent variables to p, by Gibbs sweeps at inverse temperatures 0 to 1 of the factors of
// two variables or more (Neal 2001).
WeightedResult annealed_importance_sampling(const FactorGraph& graph,
                                            const AnnealedOptions& options = {},
                                            const GraphCallback& progress = {});

}  // namespace croft

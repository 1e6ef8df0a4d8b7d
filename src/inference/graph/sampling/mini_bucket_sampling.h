// Log Z by weighted draws that mini-buckets guide, between bounds.  Internal to inference/;
// docs/math/graph_sampling.md section 9.
//
// Mini-buckets of growing size bound log Z from above.  Particles go down the tree of their order:
// each state is drawn with the probability that the mini-buckets give it, what they were wrong by
// is its weight, and particles of little weight are replaced (Liu, Fisher & Ihler 2015; Del Moral,
// Doucet & Jasra 2006).  Where nothing is divided, log Z is exact.
#pragma once
#include <cstdint>
#include <optional>

#include "croft/inference/elimination_order.h"
#include "croft/inference/graph_result.h"
#include "croft/structure/factor_graph.h"
#include "inference/graph/sampling/importance_sampling.h"

namespace croft {

struct MiniBucketSamplingOptions {
  std::size_t samples =
      20000;  // particles in all; 0: until `progress` says false, or log Z is known to 0.001
  std::size_t particles = 1000;   // of a run, >= 2
  double first_states = 1 << 18;  // joint states of the first mini-buckets; then 8 times as many
  double table_bytes = 1e9;       // of mini-buckets, at most
  std::uint64_t seed = 1;
  std::optional<EliminationOrder> order = {};  // one that is known
  bool any_width = true;  // false: Error for a graph that is too wide for a good order
  bool marginals = true;
  void validate() const;  // throws UsageError
};

struct BoundedSum {
  // exact where nothing is divided, or Z = 0 is proved; else an estimate.  `converged`: the
  // standard error of log Z is at most kAccurate.
  WeightedResult sum;
  double least = 0, most = 0;  // log Z is between them: the best score seen, and the bound
  // Weighted assignments, for what depends on several variables.
  std::vector<std::vector<State>> draws;
  std::vector<double> weights;
  static constexpr double kAccurate = 0.1;
};

// Tables of at most 2^26 numbers together; throws Error for larger ones, Interrupted where it is
// stopped before the first.
BoundedSum mini_bucket_sampling(const FactorGraph& graph,
                                const MiniBucketSamplingOptions& options = {},
                                const GraphCallback& progress = {});

}  // namespace croft

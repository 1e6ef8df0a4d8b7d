// The best assignment by local changes, in any factor graph: iterated conditional modes, the lazy
// flipper, simulated annealing.
//
// None is worse than its start.  Where an assignment is forbidden (-inf), fewer factors that forbid
// it count as better, whatever the others say.  docs/math/graph_map.md section 8.
#pragma once
#include <cstdint>
#include <span>

#include "croft/inference/map_result.h"

namespace croft {

struct LocalSearchOptions {
  std::size_t restarts = 0;  // from random assignments, after the first start
  std::uint64_t seed = 1;    // of those
};

// Besag (1986): each variable takes its best state given the others, until none changes.
//   start : empty: each variable at the state that its own factors like best
MapResult icm(const FactorGraph& graph, const LocalSearchOptions& options = {},
              std::span<const State> start = {}, const GraphCallback& callback = {});

struct LazyFlipperOptions : LocalSearchOptions {
  std::size_t subset = 2;  // largest number of variables changed at a time, >= 1
  void validate() const;   // throws UsageError
};

// Andres et al. (2012): no change of up to `subset` variables that hang together by factors makes
// the result better; subsets of two or more with over 2^20 joint changes are left out.  Cost:
// subsets that hang together, times states^subset, times factors at each.
MapResult lazy_flipper(const FactorGraph& graph, const LazyFlipperOptions& options = {},
                       std::span<const State> start = {}, const GraphCallback& callback = {});

struct AnnealingOptions {
  std::size_t sweeps = 1000;  // over all variables, >= 1
  // Falls geometrically from first to last, both > 0; in units of the scores.  0: by the graph,
  // the mean over the factors of largest less smallest score, and a hundredth of that.
  double first_temperature = 0, last_temperature = 0;
  std::uint64_t seed = 1;
  void validate() const;  // throws UsageError
};

// A sweep of annealing takes about as long as a junction tree takes for so many joint states.
double work_of_sweep(const FactorGraph& graph);

// Kirkpatrick et al. (1983) with Gibbs steps, then iterated conditional modes from the best seen.
MapResult simulated_annealing(const FactorGraph& graph, const AnnealingOptions& options = {},
                              std::span<const State> start = {},
                              const GraphCallback& callback = {});

}  // namespace croft

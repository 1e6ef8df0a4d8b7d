// Exact inference in a dynamic Bayesian network, slice by slice, as evidence comes in: filtering,
// smoothing, prediction, the best path.  Memory and time of a slice do not grow with their number.
//
//   SliceFilter filter(net);
//   while (…) {
//     if (!filter.advance(evidence)) …        // its probability is 0
//     filter.marginals()[v]                   // p(x_tv | evidence until t)
//   }
//
// The interface algorithm (Murphy 2002, section 3.5): what the next slice depends on separates the
// past from the future.  docs/math/dynamic_networks.md.
#pragma once
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "croft/inference/graph_result.h"
#include "croft/structure/slice_network.h"

namespace croft {

struct SliceOptions {
  // Slices before the present one that smoothed() may ask for, at most; all: the memory then grows
  // with the stream, by the joint states of the interface a slice.
  std::size_t history = 0;
  double memory = 8e9;  // bytes, that the clique tree of a slice may take
  // Whether advance() computes marginals().  Without, it takes less time, and marginals() a pass of
  // its own where they are asked for.
  bool marginals = true;
};

class SliceFilter {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  // Throws UsageError for a network that does not fit itself, and Error where a slice and the
  // interface before it have cliques that are too large.
  explicit SliceFilter(SliceNetwork net, const SliceOptions& options = {});
  ~SliceFilter();
  SliceFilter(SliceFilter&& other) noexcept;
  SliceFilter& operator=(SliceFilter&& other) noexcept;

  // The evidence of the next slice.  False where it has probability 0 given that before it: the
  // filter stays as it was.  Throws UsageError for evidence that does not fit.
  bool advance(const SliceEvidence& evidence);

  std::size_t slices() const;  // that have been seen
  // p(x_tv | evidence of slices 0 to t), t the last one.  [n][states]
  const VariableMarginals& marginals() const;
  double log_likelihood() const;          // of all evidence so far, in nats
  double log_likelihood_of_last() const;  // of the last slice's given that before it

  // p(x_(t+k)v | evidence of slices 0 to t) for k = 1 to `slices`.
  std::vector<VariableMarginals> ahead(std::size_t slices);
  // The last of these, in memory that does not grow with them.  Both throw Interrupted once
  // `interruption` is set.
  VariableMarginals only_ahead(std::size_t slices);
  // p(x_(t-back)v | evidence of slices 0 to t), back <= history and < slices().  Takes `back` steps
  // as long as one of advance().
  VariableMarginals smoothed(std::size_t back);
  // The same of all slices that the history has, the earliest first, in one pass.
  std::vector<VariableMarginals> smoothed();

 private:
  class Run;
  std::unique_ptr<Run> run_;
};

// The best path through all slices: max over x of p(x, evidence).
class SlicePath {
 public:
  // Throws as SliceFilter.
  explicit SlicePath(SliceNetwork net, const SliceOptions& options = {});
  ~SlicePath();
  SlicePath(SlicePath&& other) noexcept;
  SlicePath& operator=(SlicePath&& other) noexcept;

  bool advance(const SliceEvidence& evidence);  // as SliceFilter
  std::size_t slices() const;
  double log_score() const;  // max over x of log p(x, evidence), of the slices so far
  // [slices][n], one of the best where there are several.
  std::vector<std::vector<State>> best();

 private:
  class Run;
  std::unique_ptr<Run> run_;
};

}  // namespace croft

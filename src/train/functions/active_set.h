// OWL-QN on a set of features that grows by the gradient, for more candidate features than memory
// holds.
//
// With l1 > 0 most weights are 0 at the minimum, and a weight that is 0 and stays 0 costs nothing
// if nobody looks at it.  So OWL-QN works on a set A of features.  Now and then a screening takes
// the derivative of f by every candidate, and those that would not stay at 0 (O.18) join.  When
// there are none, the minimum over A is the minimum over all candidates.  docs/math/optimisation.md
// section 7.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "croft/optimize/lbfgs.h"
#include "train/functions/screening.h"

namespace croft {

struct ActiveSetOptions {
  // A candidate may stay out while |df/dw| <= l1 (1 + violation_tolerance); in (0, 1).
  double violation_tolerance = 1e-2;
  // What a screening may take for dL/dstate of all positions, > 0.  Where it needs more it is done
  // for some labels at a time, at the cost of an evaluation of f each.
  std::size_t screening_bytes = std::size_t{2} << 30;
  void validate() const;  // throws UsageError naming the field and its range
};

// A weight, by its feature's place in the w of all candidates.
struct FeatureWeight {
  std::uint64_t feature;
  double weight;
};

// The features that are being trained.
struct ActiveSet : FeatureSubset {
  std::size_t round = 0;  // counts from 1; each round has a set of its own
};

// Iterations are numbered through all rounds; w has the weights of the set.  False: stop.
using ActiveSetCallback = std::function<bool(const ActiveSet&, const Iteration&)>;

struct ActiveSetResult {
  OptimizeResult optimization;  // its counts are those of all rounds, and of the screenings
  // The largest |df/dw| - l1 of a candidate outside the set, or 0 where none exceeds l1: how far
  // the weights that are not trained are from optimal.  None where training was stopped on request.
  std::optional<double> largest_violation;
  ActiveSet set;                // of the last round
  std::vector<double> weights;  // of set.selection.layout
};

// Minimises F over all features of the candidates.
//   data, candidates : data.node.id and data.edge.id are ids of the candidates' layout
//   make             : see Screening
//   start            : weights to start from, increasing by feature; all others are 0
//   options          : as of owlqn(); max_iterations counts through all rounds
// Features of edge attributes and those without a penalty (one attribute's, all of them) are in the
// set from the start; transitions and other node features join.
// Requires regulariser.l1 > 0.  Throws as owlqn().
// Memory: a copy of the data's lists of attributes, screening_bytes or less, and owlqn() on the
// set; nothing for each candidate.  The result does not depend on the number of threads.
ActiveSetResult train_active_set(const ChainData& data, const ChainLayout& candidates,
                                 const ChainFunctionMaker& make,
                                 std::span<const FeatureWeight> start,
                                 const Regulariser& regulariser, const LbfgsOptions& options,
                                 const ActiveSetOptions& set_options, ThreadPool& pool,
                                 const ActiveSetCallback& callback = {},
                                 Checkpointer* checkpoints = nullptr);

}  // namespace croft

// Dual ascent for the likelihood of a chain: one sum over labellings a visit, and no step to
// choose.
//
// Exponentiated gradient (Collins et al. 2008), each step as long as the one before it says is
// best. docs/math/dual_optimisation.md section 5.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "croft/optimize/optimizer.h"
#include "train/functions/chain_batch_function.h"

namespace croft {

struct ChainAscentOptions {
  double l1 = 0;           // >= 0
  double l2 = 1;           // > 0
  double by_gap = 0.5;     // from 0 to below 1: share of the visits that go where most is lacking
  std::size_t passes = 6;  // >= 1; to an iteration, at most; it ends with P and the gap computed
  std::uint64_t seed = 1;  // of the order of the visits
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// The loss of other structures over the scores of the chain's rows: log Z(theta) - theta.gold,
// linear in what theta is made of (segments: segment_rows_objective.h).
template <class Real>
struct AscentObjective {
  ObjectiveMaker<Real> make;  // empty: a chain's likelihood
  // How many of the rows of sequence n are positions; the others, behind them, may be shared by
  // several parts of a labelling.
  std::function<std::size_t(std::size_t n)> positions;
};

// Minimises f(w) + l1 |w|_1 + (l2/2)|w|^2, where f is the negative log-likelihood of data, and
// writes w, in the layout's order; what w held before is ignored.  A pass visits as many positions
// as there are. With Real = float the gap is good to about 1e-6.
//   whole : f
// Several processes of the pool each visit their own sequences between two iterations, and what
// they find is added up (CoCoA+, Ma, Smith et al. 2015): the same result for the same number of
// processes.  The result does not depend on the number of threads.  Throws UsageError for edge
// attributes, and for gold that is not known at every position, or that the layout's constraint
// forbids.
// Cost of a pass: forward-backward, of order 2 or more over label histories, and two visits to the
// weights of each attribute.  Memory: two numbers for each label of a position, and for each
// transition and gram of a sequence, and 4 to 8 bytes an occurrence of an attribute.
template <class Real>
OptimizeResult chain_ascent(const ChainData& data, const ChainLayout& layout, ChainFunction& whole,
                            const ChainAscentOptions& options, std::span<double> w,
                            ThreadPool& pool, const IterationCallback& callback = {},
                            Checkpointer* checkpoints = nullptr,
                            const AscentObjective<Real>& objective = {});

}  // namespace croft

// From counts to the probabilities of a hidden Markov model: additive smoothing, and what an
// unknown value is like.  docs/math/hidden_markov.md sections 2 and 3.
#pragma once
#include <cstddef>

#include "model/kinds/hmm_parameters.h"
#include "train/generative/hmm_counts.h"

namespace croft {

struct HmmSmoothing {
  double emission = 0.1;    // added to the count of every value, known or not, of every label; >= 0
  double transition = 0.1;  // ... of every label that may start, follow or, with `end`, be the last
  bool end = false;         // the model has probabilities of ends
};

struct UnknownValues {
  std::size_t rare = 0;    // values seen so often, or less, stand in for unknown ones; 0: none do
  std::size_t suffix = 0;  // letters of the longest suffix that unknown values are told apart by
};

// What of the parameters does not depend on counts: sizes, tracks, known values and their cells.
HmmParameters hmm_shape(const HmmLayout& layout, const StringTable& names);

// The estimate (HM.4) to (HM.6): maximum likelihood without smoothing, MAP with it.  A label that
// was never counted has, without smoothing, no probabilities at all: nothing leads to it or out of
// it.
//   p : made by hmm_shape(); its numbers are overwritten
void estimate_hmm(const HmmLayout& layout, const HmmCounts& counts, const HmmSmoothing& smoothing,
                  HmmParameters& p);
// The same, with the model of unknown values (HM.7) to (HM.9).
void estimate_hmm(const HmmLayout& layout, const HmmCounts& counts, const HmmSmoothing& smoothing,
                  const UnknownValues& unknown, HmmParameters& p);

// sum over probabilities of (smoothing times log probability): the logarithm, up to a constant, of
// the Dirichlet prior under which estimate_hmm() without unknown values is the MAP estimate.
double log_prior(const HmmLayout& layout, const HmmSmoothing& smoothing, const HmmParameters& p);

// sum of (count times log probability), counts of 0 left out: log p(x, y) of the labelled data that
// was counted.
double log_joint(const HmmLayout& layout, const HmmCounts& counts, const HmmParameters& p);

}  // namespace croft

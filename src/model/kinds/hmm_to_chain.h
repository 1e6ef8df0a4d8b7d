// A hidden Markov model as the log-linear chain with the same posterior. docs/math/hidden_markov.md
// section 5.
#pragma once
#include "model/file/container.h"
#include "model/kinds/hmm_model.h"

namespace croft {

// p(y | x) of the chain is the HMM's, up to the precision of its weights (float).  Of columns for
// every x, unknown values and their suffixes included; of attributes where the HMM knows all of
// them: a chain sees nothing of an attribute that it does not know.  What start, transition or end
// cannot be is the chain's constraint.  Throws Error for emissions of probability 0 (a model
// without smoothing), which no weight says, and for other formats.
ContainerWriter hmm_to_chain(const HmmModel& hmm);

}  // namespace croft

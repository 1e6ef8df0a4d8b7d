// EM for a chain whose gold is partial: hidden states, or labels that are not known.
//
//   Q(w; v) = sum_n q_n log Z_n(w) - <w, c_v> + const_v >= L(w),   Q(v; v) = L(v)         (HC.4)
//
// The E step takes c_v, the counts of the features that are to be expected, given what is known, at
// the present weights v; the M step lowers Q + penalty, which is convex, by some iterations of
// L-BFGS (OWL-QN with l1).  The objective, L + penalty, never rises.  docs/math/hidden_chain.md
// section 3.  Dempster, Laird & Rubin (1977).
#pragma once
#include <cstddef>
#include <span>

#include "croft/optimize/optimizer.h"
#include "train/chain_methods.h"

namespace croft {

// Minimises as train_chain() does, by EM: problem.stop is of E steps, problem.method is lbfgs or
// owlqn and has the M steps.  Throws UsageError for other methods, objectives and priors.
// Memory: four vectors of weights beside the optimiser's.  Cost of an E step: two evaluations of
// the likelihood; of an M step one or two of log Z for each iteration.
OptimizeResult train_chain_em(const ChainProblem& problem, std::span<double> w,
                              const IterationCallback& callback,
                              Checkpointer* checkpoints = nullptr);

}  // namespace croft

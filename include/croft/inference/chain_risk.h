// Decoding by marginals: the labelling with the fewest expected errors.
//
// The expected number of positions that a labelling gets wrong is T - sum_t mu_t(y_t).  Without
// constraints each position decides alone; under constraints the best allowed labelling is a
// Viterbi path over the marginals.  docs/math/constraints.md section 4.
#pragma once
#include <span>

#include "croft/inference/chain_viterbi.h"
#include "croft/structure/chain.h"

namespace croft {

// Each position's label of the largest marginal, the first among equals.  Such a labelling may have
// probability 0.  mu: [T][L]; y.size() == T.
template <class Real>
void posterior_decode(const Matrix<Real>& mu, std::span<Label> y);

// 0 for every edge that is not -inf, which stays: the tied part of risk_scores(), made once.
template <class Real>
TransitionScores<Real> allowed_edges(const TransitionScores<Real>& scores);

// A chain whose score of y is sum_t mu_t(y_t) if y is allowed in `scores`, else -inf.
//   mu      : [T][L] marginals p(y_t = j | x); may be those of another model or unconstrained ones
//   allowed : allowed_edges(*scores.transitions); `risk` points to it
// A chain of its own, so that it goes through a ChainProduct as scores do.
template <class Real>
void risk_scores(const ChainScores<Real>& scores, const Matrix<Real>& mu,
                 const TransitionScores<Real>& allowed, ChainScores<Real>& risk);

template <class Real>
struct RiskWorkspace {
  ChainScores<Real> risk;
  ViterbiWorkspace<Real> viterbi;
};

// The best labelling of risk_scores(); returns the expected number of positions that it gets right,
// or -inf, with y unspecified, when no labelling is allowed.  Ties as viterbi().
template <class Real>
double minimum_risk(const ChainScores<Real>& scores, const Matrix<Real>& mu,
                    const TransitionScores<Real>& allowed, RiskWorkspace<Real>& work,
                    std::span<Label> y);

}  // namespace croft

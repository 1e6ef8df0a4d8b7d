// How the marginals of a chain change with its scores: the second derivative of log Z.
//
// For a direction d in the space of the scores let S(y) = sum of d over the entries that y uses, as
// (C.1) sums the scores.  Then, for the indicator (or count) n_c of an entry c,
//
//   d/de log Z(theta + e d) = E[S]                                                         (V.14)
//   d/de mu_c(theta + e d)  = Cov(S, n_c)                                                  (V.15)
//
// Both come from differentiating the recursions: one pass goes forward for the part of S before a
// position, one backward for the part behind it, in double for scores of either precision.  The
// same two passes give the sum of conditional marginals that Kakade's objective wants.
// docs/math/chain_objectives.md sections 5 and 8.
#pragma once
#include <memory>

#include "croft/inference/chain_sum.h"
#include "croft/structure/chain.h"
#include "croft/structure/gold.h"

namespace croft {

// Scratch reused across sequences; grows, never shrinks.  One per thread.
struct TangentWorkspace {
  struct Tables;
  std::shared_ptr<Tables> tables;             // made when first needed
  ChainPath path = ChainPath::scaled_double;  // the one that the last call took: this or log_domain
};

// out = scale (d^2 log Z / dtheta dtheta) direction; returns E[S].
//   direction : same shape as scores: overlays at the same positions, the same list of edges where
//               transitions are sparse.  Finite; what it holds where scores are -inf does not
//               matter, nor does its background
//   out       : as marginals() writes it: state and overlay overwritten, transition added to
// Where no labelling is allowed: returns 0, state and overlay are 0.
// Time: about three times that of marginals() in double.  Sparse transitions: O(T (L + listed
// edges)), and O(L) more for each label into or out of which a listed edge weighs 1e-3 of the
// background or less; in the log domain, where underflow cannot be ruled out, O(T L^2).
template <class Real>
double marginals_tangent(const ChainScores<Real>& scores, const ChainScores<Real>& direction,
                         double scale, TangentWorkspace& work, const ChainGradient<Real>& out);

// L = sum_t log p(y_t in Y_t | x), where Y_t is what gold knows of t.  out = scale dL/dtheta
//   = scale sum_t ( mu given y_t in Y_t  -  mu ).                                          (V.8)
// Linear in T: time two thirds of marginals_tangent().  Relative accuracy however small the
// marginals are: where one is below 1e-25 the sums are taken in the log domain.
// Returns -inf, with `out` untouched, where p(y_t in Y_t | x) = 0 for some t or nothing is allowed;
// so it does with a log Z that is no number.
template <class Real>
double log_marginals(const ChainScores<Real>& scores, const Gold& gold, double scale,
                     TangentWorkspace& work, const ChainGradient<Real>& out);

// Related: chain_sum.h (the first derivative), objective/chain_objective.h (curvature()).
}  // namespace croft

// How far chains of draws can be trusted: R-hat, effective samples, Monte Carlo errors.
//
// All split each chain into halves, so that one that wanders does not agree with itself (Gelman et
// al., Bayesian Data Analysis, 3rd ed., 2013, section 11.4).  docs/bugs/language.md has the
// equations.
#pragma once
#include <span>
#include <vector>

namespace croft::bugs {

// Draws of one number, [chains][draws].  Of chains of different lengths the first draws of each are
// taken, as many as the shortest has.
using Chains = std::span<const std::vector<double>>;

// Draws / tau, tau = 1 + 2 Σ_t rho_t, of the correlations rho_t at lag t over all chains (BL.4),
// summed in pairs up to the first that is not positive, and made to fall (Geyer 1992: the initial
// monotone sequence; Vehtari et al. 2021).  At most n log10(n) of n draws.  NaN: fewer than 4
// draws in a half, draws that are not finite, or all of them equal.  O(n log n).
double effective_samples(Chains chains);

// sqrt of the variance of all draws over that inside halves (BL.2); about 1 where the chains agree.
// NaN as above; infinite where halves are constant and different.  O(n).
double split_r_hat(Chains chains);

// The larger of those of the draws' normal scores and of their distances from the median: it sees
// what means do not show, such as chains of different widths or without a variance (Vehtari,
// Gelman, Simpson, Carpenter & Bürkner 2021).  O(n log n).
double rank_r_hat(Chains chains);

// The fewer of those of 1[x <= the 5 % quantile] and 1[x <= the 95 % quantile]; as above.
double tail_effective_samples(Chains chains);

}  // namespace croft::bugs

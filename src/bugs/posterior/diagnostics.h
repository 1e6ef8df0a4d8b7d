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
// draws in a half, draws that are not finite, or no half in which they differ.  O(n log n).
double effective_samples(Chains chains);

// sqrt of the variance of all draws over that inside halves (BL.2); about 1 where the chains agree.
// NaN as above; infinite where halves are constant and different.  O(n).
double split_r_hat(Chains chains);

// Draws in the order of their values: sorted once for all that asks for ranks.  Costs O(n log n),
// and 16 bytes for each draw.
class RankedDraws {
 public:
  explicit RankedDraws(Chains chains);

  // The larger split R-hat of the draws' normal scores and of the scores of their distances from
  // the median: it sees what means do not show, such as chains of different widths or without a
  // variance (Vehtari, Gelman, Simpson, Carpenter & Bürkner 2021).  NaN as above.
  double r_hat() const;

  // Effective samples of the normal scores: of the bulk of the draws, also where they have no
  // variance.  NaN as above.
  double bulk_effective_samples() const;

  // The fewer effective samples of 1[x <= the 5 % quantile] and 1[x <= the 95 % quantile]; as
  // above.
  double tail_effective_samples() const;

  // [chains * shortest chain's draws]
  std::vector<double> sorted() const;

 private:
  struct Draw {
    double value = 0;
    std::size_t place = 0;  // chain * length + draw
  };

  std::vector<double> scores_by_rank() const;
  std::vector<std::vector<double>> scores(std::span<const Draw> order,
                                          std::span<const double> by_rank) const;
  std::vector<Draw> by_distance_from_median() const;

  std::size_t length_;
  bool known_;  // long enough and finite
  std::vector<Draw> order_;
};

}  // namespace croft::bugs

// Piecewise training (Sutton & McCallum 2005): every factor normalised on its own.
//
//   L(theta, y) = weight (   sum_t      ( lse_j state[t][j]          - state[t][y_t] )
//                          + sum_{t>=1} ( lse_{i,j} edge(t; i, j)    - edge(t; y_{t-1}, y_t) ) )
//                                                                                           (V.5)
// A piece is the row of state scores of a position, or the table of edge scores of two neighbours.
// No forward-backward: O(T L), and O(L^2) once for the tied table and once for each overlay.
// Convex, and an upper bound of the likelihood's loss.  docs/math/chain_objectives.md section 4.
#pragma once
#include <span>

#include "croft/core/matrix.h"
#include "croft/objective/chain_objective.h"

namespace croft {

// Gold must be complete.  L is +inf where the scores forbid the gold labelling; pieces do not see
// each other, so that nothing else is infinite.
template <class Real>
class Piecewise final : public ChainObjective<Real> {
 public:
  using ChainObjective<Real>::operator();
  void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                  std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                  std::span<double> value) override;

 private:
  double one_chain(const ChainScores<Real>& scores, std::span<const Label> y, double weight,
                   const ChainGradient<Real>& out);
  double overlay_piece(const ChainScores<Real>& scores, std::size_t t, Label i, Label j,
                       double weight, const ChainGradient<Real>& out);
  // Its distribution to the derivatives of the tied table.
  void add_tied_pieces(const TransitionScores<Real>& tied, double count, double* transition) const;

  double tied_sum_ = 0;   // of the factors of the tied table
  double tied_ = 0;       // lse of the tied table
  Matrix<double> piece_;  // [L][L] scratch
};

}  // namespace croft

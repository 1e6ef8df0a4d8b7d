// Local likelihood: each label given the one before it, what a maximum-entropy Markov model
// maximises (McCallum, Freitag & Pereira 2000).
//
//   L(theta, y) = - weight sum_t log p(y_t | y_{t-1}, x)                                    (MM.1)
//   p(y_t = j | y_{t-1} = i, x) ~ exp( state[t][j] + edge(t; i, j) )
//
// No forward-backward: O(T L).  Convex.  docs/math/single.md section 4.
#pragma once
#include <span>

#include "croft/core/matrix.h"
#include "croft/objective/chain_objective.h"

namespace croft {

// Gold must be complete.  L is +inf where the scores forbid the gold labelling.
template <class Real>
class LocalLikelihood final : public ChainObjective<Real> {
 public:
  using ChainObjective<Real>::operator();
  void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                  std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                  std::span<double> value) override;

 private:
  double one_chain(const ChainScores<Real>& scores, std::span<const Label> y, Real weight,
                   const ChainGradient<Real>& out);

  Matrix<Real> row_;  // [1][L] scratch
};

}  // namespace croft

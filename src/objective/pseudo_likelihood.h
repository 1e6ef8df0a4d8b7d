// Pseudo-likelihood (Besag 1975): each label given its true neighbours.
//
//   L(theta, y) = - weight sum_t log p(y_t | y_{t-1}, y_{t+1}, x)                           (V.1)
//   p(y_t = j | …) ~ exp( state[t][j] + edge(t; y_{t-1}, j) + edge(t+1; j, y_{t+1}) )
//
// No forward-backward: O(T L).  Convex.  docs/math/chain_objectives.md section 2.
#pragma once
#include <span>

#include "croft/core/matrix.h"
#include "croft/objective/chain_objective.h"

namespace croft {

// Gold must be complete.  L is +inf where the scores forbid the gold labelling; whether they forbid
// all others does not matter.
template <class Real>
class PseudoLikelihood final : public ChainObjective<Real> {
 public:
  using ChainObjective<Real>::operator();
  void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                  std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                  std::span<double> value) override;

 private:
  double one_chain(const ChainScores<Real>& scores, std::span<const Label> y, Real weight,
                   const ChainGradient<Real>& out);

  // edge(t; i, .) and edge(t; ., j): rows of a table where t has no overlay, else scratch.
  const Real* row_from(const ChainScores<Real>& scores, std::size_t t, Label i);
  const Real* row_to(const ChainScores<Real>& scores, std::size_t t, Label j);
  void transpose(const TransitionScores<Real>& tied);

  Matrix<Real> columns_;  // [L][L] the tied scores, transposed; dense transitions
  Matrix<Real> rows_;     // [2][L] scratch
};

}  // namespace croft

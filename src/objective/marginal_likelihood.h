// Marginal likelihood (Kakade, Teh & Roweis 2002): each label alone, summed over all others.
//
//   L(theta, Y) = - weight sum_t log p(y_t in Y_t | x)                                      (V.7)
//   dL/dtheta   = - weight sum_t ( mu given y_t in Y_t  -  mu )                             (V.8)
//
// What decoding by marginals wants: positions that are right, not whole labellings.  Y_t is what is
// known of t: a label, a set, or nothing, which adds nothing.  Not convex.
// docs/math/chain_objectives.md section 5.
#pragma once
#include <span>

#include "croft/inference/chain_tangent.h"
#include "croft/objective/chain_objective.h"

namespace croft {

// L is +inf where the scores forbid every label that some position may have.
template <class Real>
class MarginalLikelihood final : public ChainObjective<Real> {
 public:
  // Cost: two forward-backwards in double, whatever T is.
  using ChainObjective<Real>::operator();
  void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                  std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                  std::span<double> value) override;
  std::size_t slow() const override { return slow_; }

 private:
  TangentWorkspace work_;
  std::size_t slow_ = 0;
};

}  // namespace croft

// The conditional likelihood of a chain, given what is known of its labels.
//
//   all labels known:  L(theta, y) = weight (log Z(theta) - theta(y))
//                      dL/dtheta   = weight (mu - 1[y])                                    (C.9)
//   otherwise:         L(theta, Y) = weight (log Z(theta) - log Z(theta restricted to Y))
//                      dL/dtheta   = weight (mu - mu restricted)                          (C.14)
// Y: the labellings that fit.  The first is the second with one labelling, without a second sum.
#pragma once
#include <span>
#include <vector>

#include "croft/inference/chain_sum.h"
#include "croft/inference/chain_tangent.h"
#include "croft/objective/chain_objective.h"
#include "croft/structure/gold.h"

namespace croft {

template <class Real>
class ChainLikelihood final : public CurvedChainObjective<Real> {
 public:
  // L is >= 0 up to rounding, and +inf when the scores forbid every labelling that fits.
  // Cost: one forward-backward, two where gold is partial.
  using ChainObjective<Real>::operator();
  void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                  std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                  std::span<double> value) override;
  // The covariance of the entries' counts, less that among the labellings that fit (V.20); with
  // complete gold positive semidefinite.  Where L is not finite, `out` is unspecified.
  void curvature(const ChainScores<Real>& scores, const ChainScores<Real>& tangent,
                 const Gold& gold, double weight, const ChainGradient<Real>& out) override;
  std::size_t slow() const override { return work_.slow; }

 private:
  void subtract_restricted(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                           std::span<const double> weight,
                           std::span<const ChainGradient<Real>> out);
  // Number n of the restricted chains: scores, with derivatives times `scale` beside those of out.
  void restrict_chain(std::size_t n, const ChainScores<Real>& scores, const Gold& gold,
                      double scale, const ChainGradient<Real>& out);

  // The chains of a call whose gold is partial, restricted to it.
  struct Restricted {
    std::vector<std::size_t> chain;            // which they are
    std::vector<ChainScores<Real>> scores;     // grows, never shrinks, as do the next two
    std::vector<Matrix<Real>> state, overlay;  // derivatives
    std::vector<double> scale;
    std::vector<ChainGradient<Real>> out;
    std::vector<CompensatedSum> log_z;
  };
  BatchWorkspace<Real> work_;
  std::vector<CompensatedSum> loss_;
  Restricted restricted_;
  TangentWorkspace tangent_;
};

}  // namespace croft

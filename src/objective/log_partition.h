// log Z of a chain, whatever its labels: what data without labels says of the weights.
//
//   L(theta) = weight log Z(theta),   dL/dtheta = weight mu,   d^2 L = weight Cov          (U.1)
//
// docs/math/unlabelled.md
#pragma once
#include <span>
#include <vector>

#include "croft/inference/chain_sum.h"
#include "croft/inference/chain_tangent.h"
#include "croft/objective/chain_objective.h"

namespace croft {

template <class Real>
class ChainLogPartition final : public CurvedChainObjective<Real> {
 public:
  using ChainObjective<Real>::operator();
  // -inf where no labelling is allowed; `out` is 0 then.
  void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold> /*gold*/,
                  std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                  std::span<double> value) override {
    log_z_.resize(scores.size());
    marginals<Real>(scores, weight, work_, out, log_z_);
    for (std::size_t k = 0; k < scores.size(); ++k) value[k] = weight[k] * log_z_[k].value();
  }
  void curvature(const ChainScores<Real>& scores, const ChainScores<Real>& tangent,
                 const Gold& /*gold*/, double weight, const ChainGradient<Real>& out) override {
    marginals_tangent(scores, tangent, weight, tangent_, out);
  }
  std::size_t slow() const override { return work_.slow; }

 private:
  BatchWorkspace<Real> work_;
  std::vector<CompensatedSum> log_z_;
  TangentWorkspace tangent_;
};

}  // namespace croft

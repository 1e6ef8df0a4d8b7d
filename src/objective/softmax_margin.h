// Softmax-margin (Gimpel & Smith 2010): the likelihood under scores that favour costly mistakes.
//
//   L(theta, y) = weight (log sum_y' exp( theta(y') + sum_t Delta(y_t, y'_t) ) - theta(y))   (C.15)
//
// Added to the scores, the cost must be overcome by the gold labelling: training moves the decision
// away from the mistakes that cost most.  Where gold is partial Delta is position_cost().
#pragma once
#include <span>
#include <vector>

#include "croft/objective/likelihood.h"
#include "objective/cost_augmented.h"

namespace croft {

template <class Real>
class SoftmaxMargin final : public CurvedChainObjective<Real> {
 public:
  // As the constructor of CostAugmenter.
  explicit SoftmaxMargin(const LabelCost& cost, std::span<const Label> label_of = {})
      : augment_(cost, label_of) {}

  using ChainObjective<Real>::operator();
  // value >= that of the likelihood; equal to it where the cost is 0.  Cost: T L more.
  void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                  std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                  std::span<double> value) override;
  // That of the likelihood at theta + Delta.
  void curvature(const ChainScores<Real>& scores, const ChainScores<Real>& tangent,
                 const Gold& gold, double weight, const ChainGradient<Real>& out) override;
  std::size_t slow() const override { return likelihood_.slow(); }

 private:
  CostAugmenter augment_;
  ChainLikelihood<Real> likelihood_;
  std::vector<ChainScores<Real>> augmented_;  // grows, never shrinks
};

}  // namespace croft

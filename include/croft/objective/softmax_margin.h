// Softmax-margin (Gimpel & Smith 2010): the likelihood under scores that favour costly mistakes.
//
//   L(theta, y) = weight (log sum_y' exp( theta(y') + sum_t Delta(y_t, y'_t) ) - theta(y))   (C.15)
//
// Added to the scores, the cost must be overcome by the gold labelling: training moves the decision
// away from the mistakes that cost most.  Where gold is partial Delta is position_cost().
#pragma once
#include <span>
#include <vector>

#include "croft/objective/label_cost.h"
#include "croft/objective/likelihood.h"

namespace croft {

template <class Real>
class SoftmaxMargin final : public ChainObjective<Real> {
 public:
  // Both are kept by reference.
  //   label_of : [states], not decreasing; of chains whose labels are states that each stand for a
  //              label of the cost (structure/label_histories.h).  Empty: they are the labels.
  explicit SoftmaxMargin(const LabelCost& cost, std::span<const Label> label_of = {})
      : cost_(&cost), label_of_(label_of) {}

  using ChainObjective<Real>::operator();
  // value >= that of the likelihood; equal to it where the cost is 0.  Cost: T L more.
  void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                  std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                  std::span<double> value) override;
  std::size_t slow() const override { return likelihood_.slow(); }

 private:
  void add_cost(const Gold& gold, ChainScores<Real>& scores);

  const LabelCost* cost_;
  std::span<const Label> label_of_;
  ChainLikelihood<Real> likelihood_;
  std::vector<ChainScores<Real>> augmented_;  // grows, never shrinks
  std::vector<double> row_;                   // [L]
  std::vector<Label> fitting_;                // scratch
};

}  // namespace croft

// The structured hinge: max-margin with margin rescaling (Taskar, Guestrin & Koller 2003), and the
// perceptron (Collins 2002), which is the hinge without a cost.
//
//   L(theta, y) = weight ( max_y' ( theta(y') + sum_t Delta(y_t, y'_t) ) - theta(y) )       (V.10)
//   dL/dtheta   = weight ( 1[y^] - 1[y] )  for one y^ that attains the maximum              (V.11)
//
// L >= 0, convex, with a subgradient where several labellings attain the maximum: viterbi() says
// which is taken.  docs/math/chain_objectives.md section 6.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "croft/inference/chain_viterbi.h"
#include "croft/objective/chain_objective.h"
#include "objective/cost_augmented.h"

namespace croft {

// Gold must be complete.  L is +inf where the scores forbid the gold labelling.
template <class Real>
class ChainHinge final : public ChainObjective<Real> {
 public:
  // The perceptron.
  ChainHinge() = default;
  // Max-margin; as the constructor of CostAugmenter.
  explicit ChainHinge(const LabelCost& cost, std::span<const Label> label_of = {})
      : augment_(std::in_place, cost, label_of) {}

  // Cost: one Viterbi.
  using ChainObjective<Real>::operator();
  void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                  std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                  std::span<double> value) override;
  bool moved() const override { return moved_; }
  // y^ of the last chain of the last call; the gold labelling where L = 0.
  std::span<const Label> best() const { return best_; }

 private:
  double one_chain(const ChainScores<Real>& scores, const Gold& gold, double weight,
                   const ChainGradient<Real>& out);

  std::optional<CostAugmenter> augment_;
  ChainScores<Real> augmented_;
  ViterbiWorkspace<Real> work_;
  std::vector<Label> best_;
  bool moved_ = false;
};

}  // namespace croft

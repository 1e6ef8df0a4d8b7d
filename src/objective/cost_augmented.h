// theta + Delta(gold, .): scores that favour costly mistakes.
//
// What softmax-margin sums over and max-margin searches.  Where gold is partial Delta is
// position_cost().
#pragma once
#include <span>
#include <vector>

#include "croft/structure/chain.h"
#include "croft/structure/gold.h"
#include "objective/label_cost.h"

namespace croft {

// One a thread: it owns the scratch.
class CostAugmenter {
 public:
  // Both are kept by reference.
  //   label_of : [states], not decreasing; of chains whose labels are states that each stand for a
  //              label of the cost (structure/label_histories.h).  Empty: they are the labels.
  explicit CostAugmenter(const LabelCost& cost, std::span<const Label> label_of = {})
      : cost_(&cost), label_of_(label_of) {}

  // out = scores with the cost added to the states; its storage is reused.  O(T L), with set-valued
  // gold times the size of the sets.
  template <class Real>
  void operator()(const ChainScores<Real>& scores, const Gold& gold, ChainScores<Real>& out);
  // Delta(gold, predicted) at t; both as they stand in the chain.
  double of_label(Label gold, Label predicted) const {
    return label_of_.empty() ? (*cost_)(gold, predicted)
                             : (*cost_)(label_of_[gold], label_of_[predicted]);
  }

 private:
  const LabelCost* cost_;
  std::span<const Label> label_of_;
  std::vector<double> row_;     // [labels of the cost]
  std::vector<Label> fitting_;  // scratch
};

}  // namespace croft

// Self-training of a general CRF: hidden variables whose most probable label is sure enough get it,
// and the next training is on them, too.  docs/math/unlabelled.md section 4
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "train/graph/graph_methods.h"
#include "train/kinds/self_training.h"

namespace croft {

class SelfTrainedGraphs final : public SelfTrained {
 public:
  // Minimises from w (in and out) on these instances.
  using Train =
      std::function<OptimizeResult(std::span<GraphInstance> instances, std::span<double> w)>;
  // Keeps references.
  //   problem : whose instances are the labelled ones
  //   other   : instances without labels, beside them; empty: the hidden variables of the labelled
  //             instances are labelled
  SelfTrainedGraphs(const GraphProblem& problem, std::span<GraphInstance> other, double confidence,
                    const Train& train);
  ~SelfTrainedGraphs() override;
  // [hidden variables], in the order of instances.
  std::vector<Label> sure_labels(SeenAttributes seen, std::span<const double> w) override;
  OptimizeResult train(SeenAttributes seen, std::span<const Label> labels,
                       std::span<double> w) override;

 private:
  class Marginals;

  const GraphProblem& problem_;
  std::vector<GraphInstance> labelled_, other_;        // the others have the hidden variables
  std::vector<std::unique_ptr<Marginals>> marginals_;  // [others]
  double confidence_;
  const Train& train_;
};

}  // namespace croft

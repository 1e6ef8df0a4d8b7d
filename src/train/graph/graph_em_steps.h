// E and M steps in turn, for weights alone (graph_em.h) and for weights beside something else that
// is estimated (measured_field.h).  Internal to train/.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "train/graph/graph_em.h"

namespace croft {

// Of the objectives that EM goes with.  Throws UsageError for others.
SumOracleMaker em_sums(const GraphProblem& problem);

// Throws UsageError for options and optimisers that EM does not go with.
void check_em(const GraphProblem& problem, const GraphEmOptions& options);

// What is estimated beside the weights.
class EmCompanion {
 public:
  virtual ~EmCompanion() = default;
  virtual void score() = 0;  // into the graphs, for the expectations that are taken next
  virtual void step() = 0;   // one, by the last expectations
  virtual void undo() = 0;   // back to before the last step
};

class GraphEm final : public Optimizer {
 public:
  // Keeps all but `make` by reference.
  //   make      : objectives of Q, which while `expect` is true take expectations anew, and are L
  //   companion : may be null
  GraphEm(const GraphProblem& problem, const GraphEmOptions& options, std::span<double> w,
          const std::function<GraphObjectiveMaker(const bool& expect)>& make,
          EmCompanion* companion = nullptr);

  const Iteration& now() const override { return now_; }
  bool iterate() override;
  void archive(StateArchive& state) override;  // without a companion

 private:
  void expectation_step();

  const GraphProblem& problem_;
  const GraphEmOptions& options_;
  EmCompanion* companion_;
  std::span<double> w_;
  std::vector<double> gradient_;
  bool expect_ = true;
  GraphFunction f_;
  Iteration now_;
  std::size_t evaluations_ = 0;
};

}  // namespace croft

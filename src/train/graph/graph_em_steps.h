// E and M steps in turn, for weights alone (graph_em.h) and for weights beside something else that
// is estimated (measured_field.h).  Internal to train/.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "train/course/weight_em.h"
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
  virtual void archive(StateArchive& state) = 0;
};

class GraphEm final : public WeightEm {
 public:
  // Keeps all but `make` by reference.
  //   make      : objectives of Q, which while `expect` is true take expectations anew, and are L
  //   companion : may be null
  GraphEm(const GraphProblem& problem, const GraphEmOptions& options, std::span<double> w,
          const std::function<GraphObjectiveMaker(const bool& expect)>& make,
          EmCompanion* companion = nullptr);

 private:
  BatchFunction& expected() override { return f_; }
  double expect(std::span<const double> w, std::span<double> gradient) override;
  void step_beside() override {
    if (companion_ != nullptr) companion_->step();
  }
  void undo_beside() override {
    if (companion_ != nullptr) companion_->undo();
  }
  void archive_beside(StateArchive& state) override {
    if (companion_ != nullptr) companion_->archive(state);
  }

  EmCompanion* companion_;
  bool expect_ = true;
  GraphFunction f_;
};

}  // namespace croft

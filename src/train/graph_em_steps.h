// E and M steps in turn, with the value that EM never raises; what is estimated beside the weights
// is for those who derive from it.  Internal to train/.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "croft/train/graph_em.h"

namespace croft {

// Of the objectives that EM goes with.  Throws UsageError for others.
SumOracleMaker em_sums(const GraphProblem& problem);

// Throws UsageError for what EM does not go with: bad options, optimisers without M steps.
void check_em(const GraphProblem& problem, const GraphEmOptions& options);

class GraphEm : public Optimizer {
 public:
  const Iteration& now() const override { return now_; }
  bool iterate() override;
  void archive(StateArchive& state) override;

 protected:
  //   make : objectives of Q, which is L and takes expectations anew while expecting() is true
  GraphEm(const GraphProblem& problem, const GraphEmOptions& options, std::span<double> w,
          const GraphObjectiveMaker& make);
  // The value at w, and from here on Q(.; w).  For the constructors of those that derive.
  void expectation_step();

  const GraphProblem& problem() const { return problem_; }
  const bool& expecting() const { return expect_; }

 private:
  // Of what is estimated beside the weights: one step by the last expectations, and back.
  virtual void step_rest() {}
  virtual void undo_rest() {}
  virtual void before_expectations() {}

  const GraphProblem& problem_;
  const GraphEmOptions& options_;
  std::span<double> w_;
  std::vector<double> gradient_;
  bool expect_ = true;
  GraphFunction f_;
  Iteration now_;
  std::size_t evaluations_ = 0;
};

}  // namespace croft

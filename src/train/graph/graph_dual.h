// Max-margin training of a general CRF as a DualProblem.  docs/math/dual_optimisation.md, and
// docs/math/general_crf.md section 10.
//
// An example is an instance, its parts the numbers of its graph: how many factors are scored by
// each.  Beside them a part for each state of each variable says what being wrong costs.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "croft/optimize/function.h"
#include "inference/graph/oracles/max_oracle.h"
#include "model/graph_layout.h"
#include "optimize/dual/dual_problem.h"

namespace croft {

struct GraphDualOptions {
  double l2 = 1;    // > 0
  double cost = 1;  // of each variable that is wrong, >= 0
};

// The hinge (GC.7) of instances whose states are all known.  Where the search is exact, so is the
// duality gap; otherwise it is only what the search has found of it.
class GraphDual final : public DualProblem {
 public:
  // Keeps the first four by reference.  Throws UsageError for l2 <= 0, a cost below 0 and hidden
  // variables.
  GraphDual(const CliqueSchema& schema, const CliqueRows& rows, const GraphLayout& layout,
            std::span<GraphInstance> instances, const MaxOracleMaker& make_best,
            const GraphDualOptions& options);

  DualLoss loss() const override { return DualLoss::hinge; }
  double l2() const override { return options_.l2; }
  std::size_t samples() const override { return instances_.size(); }
  std::size_t parts(std::size_t n) const override { return augmented_[n]->numbers().size(); }
  double weight(std::size_t n) const override { return instances_[n].weight; }
  bool exact_parts() const override { return false; }
  void gold(std::size_t n, std::span<double> mu) override;
  void scores(std::size_t n, std::span<double> theta) override;
  void reset() override;
  double aim(std::size_t n, std::span<const double> delta) override;
  void move(double scale) override;
  double squared_norm() override;
  std::span<const double> weights() const override { return w_; }
  // Not of this problem, which has no entropy: both throw Error.
  double sum_oracle(std::size_t n, std::span<const double> theta, std::span<double> mu) override;
  EntropyPoint entropy(std::size_t n, std::span<const double> mu, std::span<const double> delta,
                       double g) override;
  // Throws Error where the search finds no assignment.
  double max_oracle(std::size_t n, std::span<const double> theta, std::span<double> mu) override;
  void archive(StateArchive& state) override { state(std::span(w_)); }

 private:
  const CliqueRows& rows_;
  const GraphLayout& layout_;
  std::span<GraphInstance> instances_;
  GraphDualOptions options_;
  GraphScorer scorer_;
  std::vector<std::unique_ptr<FactorGraph>> augmented_;  // [instances] with the costs
  std::vector<std::unique_ptr<MaxOracle>> best_;         // of these
  std::vector<double> w_, v_;                            // v_: [dimension], of the last aim()
  std::vector<Run> support_;                             // of v_
};

}  // namespace croft

// Perceptron and max-margin objectives of a factor graph.
//
//   L = max_y (theta(y) + cost * #{v : y_v != known_v}) - theta(known)                      (GC.7)
//
// Hidden variables have the states that are best, given the known ones (latent structured
// perceptron), and cost nothing.  dL/dtheta: the counts of the best y less those of the known one;
// where the search is not exact it is whatever the search found, and L may be below 0.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "inference/graph/oracles/max_oracle.h"
#include "objective/graph/graph_objective.h"
#include "structure/picked_graph.h"

namespace croft {

// The graph, and behind its numbers those of a factor of costs for each known variable: what each
// state of it costs.  Throws UsageError for a cost that is no number >= 0.
FactorGraph with_costs(const FactorGraph& graph, std::span<const State> known, double cost);

class GraphHinge final : public GraphObjective {
 public:
  //   cost : of each variable that is wrong; 0: the perceptron's
  GraphHinge(const FactorGraph& graph, std::span<const State> known, double cost,
             const MaxOracleMaker& make_best);
  double evaluate(std::span<double> gradient) override;
  bool converged() const override { return exact_; }

 private:
  const FactorGraph& graph_;
  std::vector<State> known_;
  FactorGraph augmented_;  // with costs
  std::unique_ptr<MaxOracle> best_, best_hidden_;
  std::optional<PickedGraph> rest_;
  bool exact_ = true;
};

inline GraphObjectiveMaker graph_hinge(double cost, MaxOracleMaker make_best) {
  return [=](const FactorGraph& graph, std::span<const State> known) {
    return std::make_unique<GraphHinge>(graph, known, cost, make_best);
  };
}

}  // namespace croft

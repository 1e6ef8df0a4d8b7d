// The likelihood of a factor graph, exactly or by an approximation of log Z; hidden variables are
// summed over.
//
//   L = log Z(theta) - log Z(theta, restricted to what is known)                           (GC.5)
//
// Where all is known the second is the score of the known states.  With Bethe's log Z it is the
// surrogate likelihood of Sutton & McCallum (2012), (5.27); with an upper bound it is convex, and
// above the exact one.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "inference/graph/oracles/sum_oracle.h"
#include "objective/graph/graph_objective.h"
#include "structure/picked_graph.h"

namespace croft {

class GraphLikelihood final : public GraphObjective {
 public:
  GraphLikelihood(const FactorGraph& graph, std::span<const State> known,
                  const SumOracleMaker& make_sums);
  double evaluate(std::span<double> gradient) override;
  bool converged() const override;

 private:
  const FactorGraph& graph_;
  std::span<const State> known_;
  std::unique_ptr<SumOracle> free_, clamped_;
  std::optional<PickedGraph> rest_;  // of the hidden variables, where there are some
  std::vector<double> sums_;         // by the numbers of rest_
};

inline GraphObjectiveMaker graph_likelihood(SumOracleMaker make_sums) {
  return [=](const FactorGraph& graph, std::span<const State> known) {
    return std::make_unique<GraphLikelihood>(graph, known, make_sums);
  };
}

// The likelihood of blocks of variables, each given all the others: composite likelihood.
//   blocks : of variables that are known, like all of their neighbours; each in one block at most
// Throws UsageError for hidden variables.
class BlockLikelihood final : public GraphObjective {
 public:
  BlockLikelihood(const FactorGraph& graph, std::span<const State> known,
                  std::span<const std::vector<Variable>> blocks, const SumOracleMaker& make_sums);
  double evaluate(std::span<double> gradient) override;

 private:
  struct Block {
    PickedGraph part;
    std::vector<State> known;
    std::unique_ptr<SumOracle> sums;
  };
  const FactorGraph& graph_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<double> sums_;
};

// The blocks are forests: forest_parts(graph) (inference/mean_field.h), summed exactly.
GraphObjectiveMaker tree_block_likelihood();

}  // namespace croft

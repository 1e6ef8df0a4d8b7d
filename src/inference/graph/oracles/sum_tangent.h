// The second derivative of log Z of a factor graph whose numbers change, times a vector: beside a
// SumOracle, what training on data without labels needs of inference.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "inference/graph/exact/tree_tangent.h"
#include "structure/picked_graph.h"

namespace croft {

class SumTangent {
 public:
  //   order : of a graph, maybe with counters in the place of factors that count (counters.h)
  // Keeps the graph by reference; its numbers may change, its shape must not.
  using Order = std::function<EliminationOrder(const FactorGraph& graph)>;
  SumTangent(const FactorGraph& graph, const Order& order);

  double bytes() const { return tree_->bytes(); }
  // As TreeTangent::add() does, at the graph's present numbers.
  void add(double scale, std::span<const double> direction, std::span<double> out);

 private:
  const FactorGraph& graph_;
  std::optional<PickedGraph> chains_;  // where it needs counters
  std::optional<TreeTangent> tree_;
  PickedDirection of_chains_;
};

}  // namespace croft

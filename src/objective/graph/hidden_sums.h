// log Z of the variables of a graph that are not known, given those that are: what data without
// labels says of the weights.
//
//   L(theta) = log sum_h exp sum_f theta_f(h, known),   over the factors f that have one of h
//   (U.11)
//
// with its second derivative.  Exact.  docs/math/unlabelled.md section 6
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "inference/graph/oracles/sum_tangent.h"
#include "objective/graph/graph_objective.h"
#include "structure/picked_graph.h"

namespace croft {

class HiddenSums final : public GraphObjective {
 public:
  //   known : [variables]; kUnobserved: hidden, of which there are some
  // Keeps the graph by reference; its numbers may change, its shape must not.
  HiddenSums(const FactorGraph& graph, std::span<const State> known,
             const SumOracleMaker& make_sums, const SumTangent::Order& order);

  std::size_t hidden() const { return of_hidden().variables(); }
  double tangent_bytes() const { return tangent_->bytes(); }
  // -inf, and nothing added, where no assignment is allowed.
  double evaluate(std::span<double> gradient) override;
  // Adds scale times the second derivative times `direction` to `out`, both by the numbers of the
  // graph.
  void add_tangent(double scale, std::span<const double> direction, std::span<double> out);

 private:
  const FactorGraph& of_hidden() const { return rest_ ? rest_->graph : graph_; }

  const FactorGraph& graph_;
  std::optional<PickedGraph> rest_;  // where something is known
  std::unique_ptr<SumOracle> sums_;
  std::optional<SumTangent> tangent_;
  PickedDirection of_rest_;
  std::vector<double> change_;  // by the numbers of rest_
};

}  // namespace croft

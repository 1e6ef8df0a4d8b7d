#include "objective/graph/hidden_sums.h"

#include <algorithm>

#include "core/infinity.h"

namespace croft {

HiddenSums::HiddenSums(const FactorGraph& graph, std::span<const State> known,
                       const SumOracleMaker& make_sums, const SumTangent::Order& order)
    : graph_(graph) {
  std::vector<Variable> hidden;
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (known[v] == kUnobserved) hidden.push_back(v);
  }
  if (hidden.size() < graph.variables()) {
    rest_.emplace(restrict_to_block(graph, FactorLists(graph), known, hidden));
  }
  tangent_.emplace(of_hidden(), order);
  sums_ = make_sums(of_hidden());
}

double HiddenSums::evaluate(std::span<double> gradient) {
  if (!rest_) return sums_->sums(1, gradient);
  rest_->pick(graph_);
  change_.assign(rest_->source.size(), 0);
  const double log_z = sums_->sums(1, change_);
  if (log_z > -kInf) rest_->add_back(change_, gradient);
  return log_z;
}

void HiddenSums::add_tangent(double scale, std::span<const double> direction,
                             std::span<double> out) {
  if (!rest_) return tangent_->add(scale, direction, out);
  of_rest_.add(*rest_, graph_, direction, out,
               [&](auto picked, auto change) { tangent_->add(scale, picked, change); });
}

}  // namespace croft

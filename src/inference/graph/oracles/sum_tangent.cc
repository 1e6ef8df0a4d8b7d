#include "inference/graph/oracles/sum_tangent.h"

#include "structure/counters.h"

namespace croft {

SumTangent::SumTangent(const FactorGraph& graph, const Order& order) : graph_(graph) {
  constexpr CounterOptions kCounters{.scores_change = true};
  if (needs_counters(graph, kCounters)) chains_.emplace(with_counters(graph, kCounters));
  const FactorGraph& tables = chains_ ? chains_->graph : graph;
  tree_.emplace(tables, order(tables));
}

void SumTangent::add(double scale, std::span<const double> direction, std::span<double> out) {
  if (!chains_) return tree_->add(scale, direction, out);
  of_chains_.add(*chains_, graph_, direction, out,
                 [&](auto picked, auto change) { tree_->add(scale, picked, change); });
}

}  // namespace croft

#include "inference/graph/oracles/sum_tangent.h"

#include "structure/counters.h"
#include "structure/factor_numbers.h"

namespace croft {

SumTangent::SumTangent(const FactorGraph& graph, const Order& order) : graph_(graph) {
  constexpr CounterOptions kCounters{.scores_change = true};
  if (needs_counters(graph, kCounters)) chains_.emplace(with_counters(graph, kCounters));
  const FactorGraph& tables = chains_ ? chains_->graph : graph;
  tree_.emplace(tables, order(tables));
}

void SumTangent::add(double scale, std::span<const double> direction, std::span<double> out) {
  if (!chains_) return tree_->add(scale, direction, out);
  chains_->pick(graph_);
  picked_.clear();
  for (const std::uint64_t place : chains_->source) {
    picked_.push_back(place == kNoScore ? 0 : direction[place]);
  }
  change_.assign(picked_.size(), 0);
  tree_->add(scale, picked_, change_);
  chains_->add_back(change_, out);
}

}  // namespace croft

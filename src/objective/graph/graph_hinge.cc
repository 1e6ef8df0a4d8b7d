#include "objective/graph/graph_objective.h"

#include <algorithm>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "structure/factor_numbers.h"

namespace croft {
namespace {}

FactorGraph with_costs(const FactorGraph& graph, std::span<const State> known, double cost) {
  if (!(cost >= 0 && cost < kInf)) throw UsageError("the cost of a wrong label must be >= 0");
  FactorGraph augmented = graph;
  for (Variable v = 0; cost > 0 && v < graph.variables(); ++v) {
    if (known[v] == kUnobserved || graph.states(v) < 2) continue;
    std::vector<double> costs(graph.states(v), cost);
    costs[known[v]] = 0;
    augmented.add_factor({v}, augmented.add_table(costs));
  }
  return augmented;
}

GraphHinge::GraphHinge(const FactorGraph& graph, std::span<const State> known, double cost,
                       const MaxOracleMaker& make_best)
    : graph_(graph),
      known_(known.begin(), known.end()),
      augmented_(with_costs(graph, known, cost)) {
  best_ = make_best(augmented_);
  if (std::ranges::find(known, kUnobserved) == known.end()) return;
  rest_.emplace(restrict_to_known(graph, known));
  best_hidden_ = make_best(rest_->graph);
}

double GraphHinge::evaluate(std::span<double> gradient) {
  std::vector<State> gold = known_;
  if (rest_) {
    rest_->pick(graph_);
    const MapResult hidden = best_hidden_->best();
    if (hidden.states.empty()) return kInf;
    for (std::size_t k = 0; k < hidden.states.size(); ++k) {
      gold[rest_->variable[k]] = hidden.states[k];
    }
  }
  const double right = graph_.score(gold);
  if (right == -kInf) return kInf;
  std::ranges::copy(graph_.numbers(), augmented_.numbers().begin());
  const MapResult best = best_->best();
  exact_ = best.kind == ResultKind::exact;
  if (best.states.empty() || best.states == gold) return 0;
  add_counts(graph_, best.states, 1, gradient);
  add_counts(graph_, gold, -1, gradient);
  return augmented_.score(best.states) - right;
}

}  // namespace croft

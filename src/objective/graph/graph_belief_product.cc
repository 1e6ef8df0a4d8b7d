#include "objective/graph/graph_objective.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "structure/factor_numbers.h"

namespace croft {
namespace {}

BeliefProduct::BeliefProduct(const FactorGraph& graph, std::span<const State> known,
                             const BeliefPropagationOptions& options)
    : graph_(graph), known_(known), options_(options) {
  options_.validate();
  const auto hidden = std::ranges::count(known, kUnobserved);
  if (hidden > 0) {
    throw UsageError("products of beliefs need the states of all variables, and " +
                     std::to_string(hidden) + " are hidden; take bethe");
  }
}

double BeliefProduct::evaluate(std::span<double> gradient) {
  const double right = graph_.score(known_);
  if (right == -kInf) return kInf;
  SumProduct bp(graph_, options_);
  converged_ = bp.run().converged;
  if (bp.contradiction()) return kInf;
  CompensatedSum log_product;
  double least = 1;  // of the beliefs in what is known
  std::vector<std::size_t> degree(graph_.variables(), 0);
  for (Factor f = 0; f < graph_.factors(); ++f) {
    const std::vector<double> belief = bp.factor_belief(f);
    add_expectations(graph_, f, belief, 1, gradient);
    std::uint64_t joint = 0;
    for (const Variable v : graph_.scope(f)) {
      joint = joint * graph_.states(v) + known_[v];
      ++degree[v];
    }
    least = std::min(least, belief[joint]);
    log_product.add(std::log(belief[joint]));
  }
  for (Variable v = 0; v < graph_.variables(); ++v) {
    if (degree[v] == 1) continue;
    const double belief = bp.belief(v)[known_[v]];
    least = std::min(least, belief);
    log_product.add((1 - static_cast<double>(degree[v])) * std::log(belief));
  }
  add_counts(graph_, known_, -1, gradient);
  constexpr double kSmallest = 1e-290;
  return least < kSmallest ? bp.log_partition() - right : -log_product.value();
}

}  // namespace croft

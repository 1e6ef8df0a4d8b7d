#include "app/infer/sum_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "inference/graph/search/local_search.h"

namespace croft {
namespace {

constexpr double kRounding = 1e-9;     // relative, of log Z as a sum of scores
constexpr double kMostWork = 1 << 18;  // of changes of pairs; with more, single variables change
constexpr std::size_t kRestarts = 4;   // of it, from random assignments
constexpr double kErrors = 4;          // standard errors that draws may be out by

// Joint states of factors that changes of all pairs of neighbours go through.
double work_of_pairs(const FactorGraph& graph) {
  const FactorLists lists(graph);
  double work = 0;
  for (Factor f = 0; f < graph.factors(); ++f) {
    for (const Variable v : graph.scope(f)) {
      work += static_cast<double>(graph.joint_states(f)) * static_cast<double>(lists.of(v).size());
    }
  }
  return work;
}

// The score of a good assignment; -inf where it finds none that is allowed.
double score_found(const FactorGraph& graph, const VariableMarginals& marginals) {
  if (marginals.size() != graph.variables()) return -kInf;  // the method has none
  std::vector<State> states;
  for (const std::vector<double>& p : marginals) {
    states.push_back(static_cast<State>(std::ranges::max_element(p) - p.begin()));
  }
  const GraphCallback go_on = until_interrupted();
  return work_of_pairs(graph) > kMostWork
             ? icm(graph, {}, states, go_on).score
             : lazy_flipper(graph, {{.restarts = kRestarts}}, states, go_on).score;
}

}  // namespace

double most_of_factors(const FactorGraph& graph) {
  double sum = 0;
  for (Variable v = 0; v < graph.variables(); ++v) {
    sum += std::log(static_cast<double>(graph.states(v)));
  }
  for (Factor f = 0; f < graph.factors(); ++f) {
    switch (graph.potential(graph.potential_of(f)).kind) {
      case PotentialKind::truncated_linear:
      case PotentialKind::truncated_quadratic:
      case PotentialKind::parity:  // 0 at most
        break;
      default:
        sum += std::ranges::max(graph.numbers(graph.potential_of(f)));
    }
  }
  return sum;
}

void hold_between_bounds(const FactorGraph& graph, const VariableMarginals& marginals,
                         InferResult& result) {
  const double least =
      std::max(score_found(graph, marginals), result.log_partition_least.value_or(-kInf));
  const double most = std::min(most_of_factors(graph), result.log_partition_most.value_or(kInf));
  const double given = *result.log_partition;
  const double held = std::max(least, std::min(given, most));
  const double off = std::abs(held - given);
  if (!(off > kRounding * std::max(1.0, std::abs(held)))) return;
  result.log_partition = held;
  const double error = result.log_partition_error.value_or(0);
  if (off <= kErrors * error) return;
  result.converged = false;
  result.log_partition_error = {};
  result.notes.push_back(fmt::format(
      "the method's own estimate of log Z is {:.4g} {}, which is shown instead", off,
      held > given ? "below the score of an assignment" : "above what the factors allow"));
}

}  // namespace croft

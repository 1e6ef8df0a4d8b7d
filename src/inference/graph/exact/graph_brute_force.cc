#include "croft/inference/graph_brute_force.h"

#include <cmath>
#include <limits>

namespace croft {
namespace {

std::uint64_t joint_state(const FactorGraph& graph, Factor f, std::span<const State> x) {
  std::uint64_t joint = 0;
  for (const Variable v : graph.scope(f)) joint = joint * graph.states(v) + x[v];
  return joint;
}

}  // namespace

void for_each_assignment(
    const FactorGraph& graph,
    const std::function<void(std::span<const State> x, long double score)>& visit) {
  std::vector<State> x(graph.variables(), 0);
  for (bool more = true; more;) {
    long double score = 0;
    for (Factor f = 0; f < graph.factors(); ++f) score += graph.factor_score(f, x);
    if (std::isfinite(score)) visit(x, score);
    more = false;
    for (std::size_t v = x.size(); v-- > 0 && !more;) {
      more = ++x[v] < graph.states(static_cast<Variable>(v));
      if (!more) x[v] = 0;
    }
  }
}

GraphBruteForce brute_force(const FactorGraph& graph) {
  constexpr long double kInfinite = std::numeric_limits<long double>::infinity();
  GraphBruteForce result;
  long double best = -kInfinite;
  for_each_assignment(graph, [&](std::span<const State> x, long double score) {
    if (score <= best) return;
    best = score;
    result.best.assign(x.begin(), x.end());
  });
  result.best_score = static_cast<double>(best);
  result.log_partition = result.best_score;
  if (result.best.empty() && graph.variables() > 0) return result;
  for (Variable v = 0; v < graph.variables(); ++v) {
    result.variable.emplace_back(graph.states(v), 0.0);
  }
  for (Factor f = 0; f < graph.factors(); ++f) {
    result.factor.emplace_back(graph.joint_states(f), 0.0);
  }
  long double sum = 0;
  std::vector<std::vector<long double>> variable(graph.variables()), factor(graph.factors());
  for (Variable v = 0; v < graph.variables(); ++v) variable[v].assign(graph.states(v), 0);
  for (Factor f = 0; f < graph.factors(); ++f) factor[f].assign(graph.joint_states(f), 0);
  for_each_assignment(graph, [&](std::span<const State> x, long double score) {
    const long double p = std::exp(score - best);
    sum += p;
    for (Variable v = 0; v < x.size(); ++v) variable[v][x[v]] += p;
    for (Factor f = 0; f < factor.size(); ++f) factor[f][joint_state(graph, f, x)] += p;
  });
  result.log_partition = static_cast<double>(best + std::log(sum));
  const auto normalise = [&](const auto& sums, auto& out) {
    for (std::size_t k = 0; k < sums.size(); ++k) {
      for (std::size_t i = 0; i < sums[k].size(); ++i) {
        out[k][i] = static_cast<double>(sums[k][i] / sum);
      }
    }
  };
  normalise(variable, result.variable);
  normalise(factor, result.factor);
  return result;
}

}  // namespace croft

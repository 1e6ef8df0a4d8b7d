#include "inference/graph/messages/mean_field_start.h"

#include <algorithm>

#include "core/infinity.h"

namespace croft {
namespace {

// A symmetric graph has a saddle point at the uniform q.
constexpr double kNearUniform = 0.01;

bool forbids(const FactorGraph& graph, Factor f) {
  const PotentialId id = graph.potential_of(f);
  return graph.potential(id).kind == PotentialKind::parity ||
         std::ranges::count(graph.numbers(id), -kInf) > 0;
}

}  // namespace

MeanFieldStart::MeanFieldStart(const FactorGraph& graph, std::uint64_t seed)
    : graph_(graph), random_(seed) {
  for (Factor f = 0; f < graph.factors(); ++f) forbids_ = forbids_ || forbids(graph, f);
}

std::optional<VariableMarginals> MeanFieldStart::next() {
  VariableMarginals q;
  for (Variable v = 0; v < graph_.variables(); ++v) q.emplace_back(graph_.states(v), 0.0);
  if (forbids_) {
    const AllowedAssignment allowed = find_allowed(graph_, random_);
    contradiction_ = allowed.outcome == AllowedSearch::none;
    if (allowed.outcome != AllowedSearch::found) return {};
    for (Variable v = 0; v < q.size(); ++v) q[v][allowed.states[v]] = 1;
    return q;
  }
  for (std::vector<double>& p : q) {
    double sum = 0;
    for (double& each : p)
      sum += each =
          first_ ? 1 + kNearUniform * random_.uniform() : -std::log(1 - random_.uniform()) + 1e-9;
    for (double& each : p) each /= sum;
  }
  first_ = false;
  return q;
}

}  // namespace croft

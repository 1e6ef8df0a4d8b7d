#include "structure/factor_numbers.h"

#include <algorithm>

#include "structure/counting.h"

namespace croft {

std::uint64_t number_of(const FactorGraph& graph, Factor f, std::span<const State> at) {
  const PotentialId id = graph.potential_of(f);
  const Potential& p = graph.potential(id);
  const auto joint = [&] {
    const std::span<const Variable> scope = graph.scope(f);
    std::uint64_t state = 0;
    for (std::size_t k = 0; k < at.size(); ++k) state = state * graph.states(scope[k]) + at[k];
    return state;
  };
  switch (p.kind) {
    case PotentialKind::table:
      return p.first + joint();
    case PotentialKind::sparse: {
      const auto listed = graph.listed(id);
      const std::uint64_t state = joint();
      const auto found = std::ranges::lower_bound(listed, state);
      const bool is_listed = found != listed.end() && *found == state;
      return p.first +
             (is_listed ? static_cast<std::uint64_t>(found - listed.begin()) : listed.size());
    }
    case PotentialKind::potts:
      return p.first + (at[0] == at[1] ? 0 : 1);
    case PotentialKind::cardinality: {
      const Counting counting(graph, id);
      return p.first + counting.number(counting.count(graph, graph.scope(f), at));
    }
    case PotentialKind::truncated_linear:
    case PotentialKind::truncated_quadratic:
    case PotentialKind::parity:
      break;
  }
  return kNoScore;
}

void add_expectations(const FactorGraph& graph, Factor f, std::span<const double> belief,
                      double scale, std::span<double> out) {
  const Potential& p = graph.potential(graph.potential_of(f));
  if (p.kind == PotentialKind::table) {
    for (std::size_t k = 0; k < belief.size(); ++k) out[p.first + k] += scale * belief[k];
    return;
  }
  std::size_t k = 0;
  for_each_number(graph, f, [&](std::uint64_t place) {
    if (place != kNoScore) out[place] += scale * belief[k];
    ++k;
  });
}

void add_counts(const FactorGraph& graph, std::span<const State> x, double scale,
                std::span<double> out) {
  std::vector<State> at;
  for (Factor f = 0; f < graph.factors(); ++f) {
    at.clear();
    for (const Variable v : graph.scope(f)) at.push_back(x[v]);
    const std::uint64_t place = number_of(graph, f, at);
    if (place != kNoScore) out[place] += scale;
  }
}

}  // namespace croft

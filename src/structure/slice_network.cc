#include "croft/structure/slice_network.h"

#include <algorithm>
#include <cmath>

#include "croft/core/error.h"

namespace croft {

void SliceNetwork::check() const {
  bool fits = variables() > 0 && next.variables() == variables() + interface.size();
  for (Variable v = 0; fits && v < variables(); ++v) fits = first.states(v) == next.states(v);
  for (std::size_t k = 0; fits && k < interface.size(); ++k) {
    const auto before = static_cast<Variable>(variables() + k);
    fits = interface[k] < variables() && (k == 0 || interface[k - 1] < interface[k]) &&
           next.states(before) == first.states(interface[k]);
  }
  if (!fits) throw UsageError("the first slice of a dynamic network and its next do not fit");
}

void SliceEvidence::check(const SliceNetwork& net) const {
  if (!states.empty() && states.size() != net.variables()) {
    throw UsageError("a slice has ", net.variables(), " variables, and the evidence ",
                     states.size());
  }
  for (Variable v = 0; v < states.size(); ++v) {
    if (states[v] == kUnobserved || states[v] < net.first.states(v)) continue;
    throw UsageError("variable ", v, " has ", net.first.states(v), " states, and no state ",
                     states[v]);
  }
  for (const auto& [v, of_state] : likelihoods) {
    const auto is_likelihood = [](double x) { return x >= 0 && std::isfinite(x); };
    if (v < net.variables() && of_state.size() == net.first.states(v) &&
        std::ranges::all_of(of_state, is_likelihood) && std::ranges::max(of_state) > 0) {
      continue;
    }
    throw UsageError("likelihoods of variable ", v,
                     " must be a number >= 0 for each of its states, one of them > 0");
  }
}

FactorGraph unroll(const SliceNetwork& net, std::size_t slices) {
  net.check();
  const std::size_t n = net.variables();
  if (slices == 0 || slices > (std::size_t{1} << 31) / n) {
    throw UsageError("a dynamic network of ", n, " variables a slice is unrolled to between 1 and ",
                     (std::size_t{1} << 31) / n, " slices, not ", slices);
  }
  FactorGraph out;
  for (std::size_t t = 0; t < slices; ++t) {
    for (Variable v = 0; v < n; ++v) out.add_variable(net.first.states(v));
  }
  const auto copies = [&](const FactorGraph& from) {
    std::vector<PotentialId> ids;
    for (PotentialId id = 0; id < from.potentials(); ++id) ids.push_back(out.add_copy(from, id));
    return ids;
  };
  const std::vector<PotentialId> of_first = copies(net.first);
  for (Factor f = 0; f < net.first.factors(); ++f) {
    out.add_factor(net.first.scope(f), of_first[net.first.potential_of(f)]);
  }
  if (slices == 1) return out;
  const std::vector<PotentialId> of_next = copies(net.next);
  std::vector<Variable> scope;
  for (std::size_t t = 1; t < slices; ++t) {
    for (Factor f = 0; f < net.next.factors(); ++f) {
      scope.clear();
      for (const Variable v : net.next.scope(f)) {
        scope.push_back(
            static_cast<Variable>(v < n ? t * n + v : (t - 1) * n + net.interface[v - n]));
      }
      out.add_factor(scope, of_next[net.next.potential_of(f)]);
    }
  }
  return out;
}

}  // namespace croft

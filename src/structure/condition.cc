#include <algorithm>
#include <string>

#include "croft/core/error.h"
#include "croft/structure/factor_graph.h"
#include "structure/counting.h"

namespace croft {
namespace {

constexpr PotentialId kNotCopied = 0xffffffff;

// One factor after the other, into a graph of the same variables.
class Conditioning {
 public:
  Conditioning(const FactorGraph& graph, std::span<const State> evidence)
      : from_(graph), evidence_(evidence), copy_(graph.potentials(), kNotCopied) {
    for (Variable v = 0; v < graph.variables(); ++v) {
      to_.add_variable(observed(v) ? 1 : graph.states(v));
    }
  }

  FactorGraph result() {
    for (Factor f = 0; f < from_.factors(); ++f) add(f);
    return std::move(to_);
  }

 private:
  bool observed(Variable v) const { return evidence_[v] != kUnobserved; }

  void add(Factor f) {
    const std::span<const Variable> scope = from_.scope(f);
    rest_.clear();
    std::ranges::copy_if(scope, std::back_inserter(rest_),
                         [&](Variable v) { return !observed(v); });
    const PotentialId id = from_.potential_of(f);
    if (rest_.size() == scope.size()) {
      if (copy_[id] == kNotCopied) copy_[id] = to_.add_copy(from_, id);
      to_.add_factor(rest_, copy_[id]);
      return;
    }
    to_.add_factor(rest_, slice(f));
  }

  PotentialId slice(Factor f) {
    const PotentialId id = from_.potential_of(f);
    switch (from_.potential(id).kind) {
      case PotentialKind::sparse:
        return slice_sparse(f);
      case PotentialKind::parity:
      case PotentialKind::cardinality:
        if (rest_.empty()) break;
        return slice_counting(f);
      default:
        break;
    }
    return slice_table(f);
  }

  PotentialId slice_counting(Factor f) {
    const auto scope = from_.scope(f);
    std::vector<bool> keeps(scope.size());
    for (std::size_t k = 0; k < scope.size(); ++k) keeps[k] = !observed(scope[k]);
    return add_slice(from_, f, keeps, evidence_, to_).id;
  }

  PotentialId slice_table(Factor f) {
    const std::span<const Variable> scope = from_.scope(f);
    std::vector<State> at(scope.size());
    for (std::size_t k = 0; k < scope.size(); ++k) {
      at[k] = observed(scope[k]) ? evidence_[scope[k]] : 0;
    }
    std::vector<double> scores;
    for (bool more = true; more;) {
      scores.push_back(from_.score_of(f, at));
      more = false;
      for (std::size_t k = scope.size(); k-- > 0 && !more;) {
        if (observed(scope[k])) continue;
        more = ++at[k] < from_.states(scope[k]);
        if (!more) at[k] = 0;
      }
    }
    return to_.add_table(scores);
  }

  // Of the listed joint states those that fit, numbered anew: the order stays.
  PotentialId slice_sparse(Factor f) {
    const PotentialId id = from_.potential_of(f);
    const std::span<const Variable> scope = from_.scope(f);
    const auto n = from_.numbers(id);
    const auto listed = from_.listed(id);
    std::vector<std::uint64_t> states;
    std::vector<double> scores;
    std::vector<State> at(scope.size());
    for (std::size_t i = 0; i < listed.size(); ++i) {
      std::uint64_t left = listed[i], joint = 0;
      bool fits = true;
      for (std::size_t k = scope.size(); k-- > 0;) {
        at[k] = static_cast<State>(left % from_.states(scope[k]));
        left /= from_.states(scope[k]);
        if (observed(scope[k])) fits = fits && at[k] == evidence_[scope[k]];
      }
      if (!fits) continue;
      for (std::size_t k = 0; k < scope.size(); ++k) {
        if (!observed(scope[k])) joint = joint * from_.states(scope[k]) + at[k];
      }
      states.push_back(joint);
      scores.push_back(n[i]);
    }
    return to_.add_sparse(states, scores, n.back());
  }

  const FactorGraph& from_;
  std::span<const State> evidence_;
  FactorGraph to_;
  std::vector<PotentialId> copy_;  // of each potential, in to_
  std::vector<Variable> rest_;     // of a scope: what is not observed
};

}  // namespace

FactorGraph condition(const FactorGraph& graph, std::span<const State> evidence) {
  if (evidence.size() != graph.variables()) {
    throw UsageError("evidence for " + std::to_string(evidence.size()) + " variables; there are " +
                     std::to_string(graph.variables()));
  }
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (evidence[v] == kUnobserved || evidence[v] < graph.states(v)) continue;
    throw UsageError("variable " + std::to_string(v) + " is said to be in state " +
                     std::to_string(evidence[v]) + "; it has " + std::to_string(graph.states(v)) +
                     ", numbered from 0");
  }
  return Conditioning(graph, evidence).result();
}

}  // namespace croft

#include "croft/structure/factor_graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "structure/counting.h"

namespace croft {
namespace {

constexpr std::uint64_t kMostJointStates = std::uint64_t{1} << 63;
constexpr double kLargestScore = 1e300;

void check_score(double score) {
  if (std::isnan(score) || score == kInf) {
    throw UsageError("a score of a factor is " + std::to_string(score) +
                     "; it must be a number or -inf");
  }
  if (std::abs(score) > kLargestScore && !std::isinf(score)) {
    throw UsageError("a score of a factor is beyond 1e300, where sums end");
  }
}

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kMostJointStates / b ? kMostJointStates : a * b;
}

std::optional<Variable> first_twice(std::span<const Variable> scope) {
  if (scope.size() < 16) {
    for (std::size_t k = 1; k < scope.size(); ++k) {
      const auto before = scope.first(k);
      if (std::ranges::find(before, scope[k]) != before.end()) return scope[k];
    }
    return {};
  }
  std::vector<Variable> sorted(scope.begin(), scope.end());
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  return twice == sorted.end() ? std::nullopt : std::optional(*twice);
}

double distance_score(PotentialKind kind, std::span<const double> numbers, State i, State j) {
  const double gap = std::abs(static_cast<double>(i) - static_cast<double>(j));
  const double cost = numbers[0] * (kind == PotentialKind::truncated_linear ? gap : gap * gap);
  return -std::min(cost, numbers[1]);
}

}  // namespace

Variable FactorGraph::add_variable(std::size_t states) {
  if (states == 0 || states >= kUnobserved) {
    throw UsageError("a variable with " + std::to_string(states) +
                     " states; it must have at least 1, and fewer than 2^32 - 1");
  }
  states_.push_back(static_cast<std::uint32_t>(states));
  return static_cast<Variable>(states_.size() - 1);
}

PotentialId FactorGraph::add(PotentialKind kind, std::span<const double> numbers) {
  for (const double each : numbers) check_score(each);
  potentials_.push_back({.kind = kind, .first = numbers_.size(), .count = numbers.size()});
  numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  return static_cast<PotentialId>(potentials_.size() - 1);
}

PotentialId FactorGraph::add_table(std::span<const double> scores) {
  if (scores.empty()) throw UsageError("a table without scores");
  return add(PotentialKind::table, scores);
}

PotentialId FactorGraph::add_sparse(std::span<const std::uint64_t> states,
                                    std::span<const double> scores, double others) {
  if (states.size() != scores.size()) {
    throw UsageError("a sparse table with " + std::to_string(states.size()) + " joint states and " +
                     std::to_string(scores.size()) + " scores");
  }
  if (std::ranges::adjacent_find(states, std::greater_equal()) != states.end()) {
    throw UsageError("the joint states of a sparse table must be listed in increasing order");
  }
  std::vector<double> numbers(scores.begin(), scores.end());
  numbers.push_back(others);
  const PotentialId id = add(PotentialKind::sparse, numbers);
  potentials_[id].first_state = listed_.size();
  listed_.insert(listed_.end(), states.begin(), states.end());
  return id;
}

PotentialId FactorGraph::add_potts(double equal, double unequal) {
  return add(PotentialKind::potts, std::vector{equal, unequal});
}

PotentialId FactorGraph::add_truncated_linear(double weight, double limit) {
  if (!(weight >= 0 && limit >= 0)) {
    throw UsageError("a truncated distance needs a weight and a limit >= 0");
  }
  return add(PotentialKind::truncated_linear, std::vector{weight, limit});
}

PotentialId FactorGraph::add_truncated_quadratic(double weight, double limit) {
  if (!(weight >= 0 && limit >= 0)) {
    throw UsageError("a truncated distance needs a weight and a limit >= 0");
  }
  return add(PotentialKind::truncated_quadratic, std::vector{weight, limit});
}

void FactorGraph::set_counted(PotentialId id, const CountedStates& counted) {
  Potential& p = potentials_[id];
  p.first_counted = counted_.size();
  p.counted = counted.counts.size();
  p.alike = counted.alike;
  counted_.insert(counted_.end(), counted.counts.begin(), counted.counts.end());
}

PotentialId FactorGraph::add_parity(bool odd, const CountedStates& counted) {
  const PotentialId id = add(PotentialKind::parity, {});
  potentials_[id].odd = odd;
  set_counted(id, counted);
  return id;
}

PotentialId FactorGraph::add_cardinality(std::span<const double> scores,
                                         const CountedStates& counted) {
  std::vector<std::uint64_t> from(scores.size());
  std::iota(from.begin(), from.end(), std::uint64_t{0});
  const PotentialId id = add_counts(from, scores, counted);
  potentials_[id].every_count = true;
  return id;
}

PotentialId FactorGraph::add_counts(std::span<const std::uint64_t> from,
                                    std::span<const double> scores, const CountedStates& counted) {
  if (scores.empty()) throw UsageError("a cardinality potential without scores");
  if (from.size() != scores.size() || from[0] != 0 ||
      std::ranges::adjacent_find(from, std::greater_equal()) != from.end()) {
    throw UsageError(
        "the counts where the scores of a cardinality potential begin must increase "
        "from 0, one for each score");
  }
  const PotentialId id = add(PotentialKind::cardinality, scores);
  potentials_[id].first_state = listed_.size();
  listed_.insert(listed_.end(), from.begin(), from.end());
  set_counted(id, counted);
  return id;
}

PotentialId FactorGraph::add_between(std::size_t least, std::size_t most, double broken,
                                     const CountedStates& counted) {
  if (least > most) throw UsageError("a count of at least more than at most");
  std::vector<std::uint64_t> from;
  std::vector<double> scores;
  const auto begin = [&](std::uint64_t at, double score) {
    from.push_back(at);
    scores.push_back(score);
  };
  if (least > 0) begin(0, broken);
  begin(least, 0);
  if (most < std::numeric_limits<std::size_t>::max()) begin(most + 1, broken);
  return add_counts(from, scores, counted);
}

PotentialId FactorGraph::add_copy(const FactorGraph& from, PotentialId potential) {
  const Potential& p = from.potential(potential);
  const PotentialId id = add(p.kind, from.numbers(potential));
  potentials_[id].odd = p.odd;
  potentials_[id].every_count = p.every_count;
  if (counts_states(p.kind)) {
    const auto bytes = from.counted(potential);
    set_counted(id, {{bytes.begin(), bytes.end()}, p.alike});
  }
  if (p.kind == PotentialKind::sparse || p.kind == PotentialKind::cardinality) {
    const auto states =
        p.kind == PotentialKind::sparse ? from.listed(potential) : from.ranges(potential);
    potentials_[id].first_state = listed_.size();
    listed_.insert(listed_.end(), states.begin(), states.end());
  }
  return id;
}

void FactorGraph::check_fit(std::span<const Variable> scope, PotentialId potential) const {
  const auto fail = [&](const std::string& what) {
    throw UsageError("factor " + std::to_string(factors()) + ": " + what);
  };
  for (const Variable v : scope) {
    if (v >= variables()) fail("there is no variable " + std::to_string(v));
  }
  if (const auto twice = first_twice(scope)) {
    fail("variable " + std::to_string(*twice) + " is in its scope twice");
  }
  if (potential >= potentials_.size()) fail("there is no such potential");
  const Potential& p = potentials_[potential];
  std::uint64_t joint = 1;
  for (const Variable v : scope) joint = multiply(joint, states(v));
  switch (p.kind) {
    case PotentialKind::table:
      if (p.count == joint) return;
      fail("its table has " + std::to_string(p.count) + " scores, its scope " +
           std::to_string(joint) + " joint states");
      break;
    case PotentialKind::sparse: {
      const auto states = listed(potential);
      if (!states.empty() && states.back() >= joint) {
        fail("its sparse table lists joint state " + std::to_string(states.back()) +
             ", its scope has " + std::to_string(joint));
      }
      return;
    }
    case PotentialKind::potts:
    case PotentialKind::truncated_linear:
    case PotentialKind::truncated_quadratic:
      if (scope.size() != 2) fail("a potential of two variables needs a scope of two");
      return;
    case PotentialKind::parity:
    case PotentialKind::cardinality: {
      std::size_t all = 0;
      for (const Variable v : scope) {
        all += states(v);
        if (p.counted == 0 && states(v) > 2) {
          fail(
              "parity and cardinality are of variables with two states, unless they say which "
              "states count");
        }
        if (p.counted > 0 && p.alike && states(v) != p.counted) {
          fail("the states that count are those of variables with " + std::to_string(p.counted) +
               " states");
        }
      }
      if (p.counted > 0 && !p.alike && all != p.counted) {
        fail("the states that count are those of a scope with " + std::to_string(p.counted) +
             " states in all, it has " + std::to_string(all));
      }
      if (p.every_count && p.count != scope.size() + 1) {
        fail("its scope has " + std::to_string(scope.size()) + " variables, which needs " +
             std::to_string(scope.size() + 1) + " scores by their sum, not " +
             std::to_string(p.count));
      }
      return;
    }
  }
}

Factor FactorGraph::add_factor(std::span<const Variable> scope, PotentialId potential) {
  check_fit(scope, potential);
  scope_.insert(scope_.end(), scope.begin(), scope.end());
  scope_begin_.push_back(scope_.size());
  potential_.push_back(potential);
  return static_cast<Factor>(potential_.size() - 1);
}

std::uint64_t FactorGraph::joint_states(Factor f) const {
  std::uint64_t joint = 1;
  for (const Variable v : scope(f)) joint = multiply(joint, states(v));
  return joint;
}

double FactorGraph::score_of(Factor f, std::span<const State> at) const {
  const PotentialId id = potential_[f];
  const std::span<const double> n = numbers(id);
  const std::span<const Variable> scope = this->scope(f);
  const auto joint = [&] {
    std::uint64_t state = 0;
    for (std::size_t k = 0; k < at.size(); ++k) state = state * states(scope[k]) + at[k];
    return state;
  };
  switch (potentials_[id].kind) {
    case PotentialKind::table:
      return n[joint()];
    case PotentialKind::sparse: {
      const auto listed = this->listed(id);
      const auto found = std::ranges::lower_bound(listed, joint());
      const auto k = static_cast<std::size_t>(found - listed.begin());
      return found != listed.end() && *found == joint() ? n[k] : n.back();
    }
    case PotentialKind::potts:
      return at[0] == at[1] ? n[0] : n[1];
    case PotentialKind::truncated_linear:
    case PotentialKind::truncated_quadratic:
      return distance_score(potentials_[id].kind, n, at[0], at[1]);
    case PotentialKind::parity:
    case PotentialKind::cardinality:
      break;
  }
  const Counting counting(*this, id);
  return counting.score(counting.count(*this, scope, at));
}

double FactorGraph::factor_score(Factor f, std::span<const State> x) const {
  std::vector<State> at;
  for (const Variable v : scope(f)) at.push_back(x[v]);
  return score_of(f, at);
}

double FactorGraph::score(std::span<const State> x) const {
  double sum = 0;
  for (Factor f = 0; f < factors(); ++f) sum += factor_score(f, x);
  return sum;
}

std::vector<double> FactorGraph::table(Factor f, std::uint64_t most) const {
  const std::uint64_t size = joint_states(f);
  if (size > most) {
    throw Error("factor " + std::to_string(f) + " has " + std::to_string(size) +
                " joint states, too many to write them all down");
  }
  const PotentialId id = potential_[f];
  if (potentials_[id].kind == PotentialKind::table) {
    const auto n = numbers(id);
    return {n.begin(), n.end()};
  }
  std::vector<double> scores(size);
  const std::span<const Variable> scope = this->scope(f);
  std::vector<State> at(scope.size(), 0);
  for (double& score : scores) {
    score = score_of(f, at);
    for (std::size_t k = scope.size(); k-- > 0;) {
      if (++at[k] < states(scope[k])) break;
      at[k] = 0;
    }
  }
  return scores;
}

FactorLists::FactorLists(const FactorGraph& graph) : begin_(graph.variables() + 1) {
  for (Factor f = 0; f < graph.factors(); ++f) {
    for (const Variable v : graph.scope(f)) ++begin_[v + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::vector<std::uint64_t> next(begin_.begin(), begin_.end() - 1);
  factor_.resize(begin_.back());
  for (Factor f = 0; f < graph.factors(); ++f) {
    for (const Variable v : graph.scope(f)) factor_[next[v]++] = f;
  }
}

std::vector<Variable> nearest_variables(const FactorGraph& graph, const FactorLists& factors,
                                        Variable from, std::size_t distance, std::size_t most,
                                        Factor until) {
  std::vector<Variable> near{from};
  std::unordered_set<Variable> seen{from};
  std::size_t end = 1, level = 0;  // of the level that is gone through
  for (std::size_t at = 0; at < near.size() && near.size() < most; ++at) {
    if (at == end) {
      end = near.size();
      ++level;
    }
    if (level == distance) break;
    for (const Factor f : factors.of(near[at])) {
      if (f >= until) break;
      for (const Variable v : graph.scope(f)) {
        if (near.size() < most && seen.insert(v).second) near.push_back(v);
      }
    }
  }
  return near;
}

}  // namespace croft

#include "inference/graph/search/counting_components.h"

#include <algorithm>
#include <cmath>

#include "core/infinity.h"

namespace croft {
namespace {

constexpr double kEqual = 1e-12;      // scores that differ by rounding
constexpr double kMostRounded = 1e3;  // larger scores may differ by what matters to a sum

std::uint64_t scrambled(std::uint64_t a) {
  a ^= a >> 30;
  a *= 0xbf58476d1ce4e5b9;
  a ^= a >> 27;
  a *= 0x94d049bb133111eb;
  return a ^ (a >> 31);
}

}  // namespace

void SetKey::add(std::uint64_t kind, std::uint64_t id, std::uint64_t what) {
  const std::uint64_t h = scrambled(scrambled(id * 4 + kind) + what * 0x9e3779b97f4a7c15);
  a += scrambled(h + 0x8c2f9d1b);
  b += scrambled(h ^ 0xd6e8feb86659fd93);
}

ComponentFinder::ComponentFinder(const CountingModel& model, std::span<const StateSet> left)
    : model_(model),
      left_(left),
      pairs_of_(model.states.size()),
      clauses_of_(model.states.size()),
      clause_key_(model.clauses()),
      variable_key_(model.states.size()),
      seen_variable_(model.states.size(), 0),
      seen_clause_(model.clauses(), 0),
      seen_table_(model.tables.size(), 0),
      degree_(model.states.size(), 0) {
  for (Variable v = 0; v < model.states.size(); ++v) variable_key_[v].add(0, v, model.states[v]);
  for (std::uint32_t c = 0; c < model.clauses(); ++c) {
    clause_key_[c].add(1, c, 0);
    const auto clause = model.clause(c);
    if (clause.size() == 2) add_pairs(c);
    if (clause.size() < 3) continue;
    for (const StateLiteral& each : clause) clauses_of_[each.v].push_back(c);
  }
}

void ComponentFinder::add_pairs(std::uint32_t c) {
  const auto clause = model_.clause(c);
  for (std::size_t k = 0; k < 2; ++k) {
    const StateLiteral &own = clause[k], &other = clause[1 - k];
    pairs_of_[own.v].push_back({own.states, other.states, other.v, c});
  }
}

bool ComponentFinder::is_satisfied(std::span<const StateLiteral> clause) const {
  return std::ranges::any_of(
      clause, [this](const StateLiteral& each) { return (left_[each.v] & ~each.states) == 0; });
}

bool ComponentFinder::tells_apart(std::uint32_t table, double* constant) {
  double low = kInf, high = -kInf;
  const auto apart = [&] {
    return low == -kInf || high - low > kEqual * std::clamp(std::max(std::abs(high), std::abs(low)),
                                                            1.0, kMostRounded);
  };
  for_each_left(model_.tables[table], left_, at_, [&](double score, std::span<const State>) {
    low = std::min(low, score);
    high = std::max(high, score);
    return !apart();
  });
  *constant = high;
  return apart();
}

void ComponentFinder::reach(CountingComponent& c, Variable v, double weight) {
  if (seen_variable_[v] != stamp_) {
    seen_variable_[v] = stamp_;
    degree_[v] = 0;
    c.variables.push_back(v);
  }
  degree_[v] += weight;
}

// Propagates the rest: a clause that is not satisfied has two variables that are open, and
// is found from both.
void ComponentFinder::add_pairs_of(CountingComponent& c, Variable v) {
  for (const Pair& each : pairs_of_[v]) {
    if ((left_[each.other] & ~each.others) == 0 || (left_[v] & ~each.own) == 0) continue;
    if (v < each.other) c.key.add(clause_key_[each.clause]);
    reach(c, each.other, 1);
  }
}

void ComponentFinder::add_clauses_of(CountingComponent& c, Variable v) {
  for (const std::uint32_t id : clauses_of_[v]) {
    if (seen_clause_[id] == stamp_) continue;
    seen_clause_[id] = stamp_;
    const auto clause = model_.clause(id);
    if (is_satisfied(clause)) continue;
    c.key.add(clause_key_[id]);
    for (const StateLiteral& each : clause) {
      if (!is_single(left_[each.v])) reach(c, each.v, 1);
    }
  }
}

void ComponentFinder::add_tables_of(CountingComponent& c, Variable v) {
  for (const std::uint32_t id : model_.tables_of[v]) {
    if (seen_table_[id] == stamp_) continue;
    seen_table_[id] = stamp_;
    double constant = 0;
    if (!tells_apart(id, &constant)) continue;
    c.tables.push_back(id);
    const CountingTable& table = model_.tables[id];
    std::size_t base = 0;
    for (std::size_t at = 0; at < table.scope.size(); ++at) {
      const StateSet left = left_[table.scope[at]];
      if (is_single(left)) base += lowest_state(left) * table.strides[at];
    }
    c.key.add(2, id, base);
    for (const Variable u : table.scope) {
      if (!is_single(left_[u])) reach(c, u, 1);
    }
  }
}

CountingComponent ComponentFinder::component_of(Variable from) {
  CountingComponent c;
  reach(c, from, 0);
  for (std::size_t k = 0; k < c.variables.size(); ++k) {
    const Variable v = c.variables[k];
    if (left_[v] == model_.states[v]) {
      c.key.add(variable_key_[v]);
    } else {
      c.key.add(0, v, left_[v]);
    }
    add_pairs_of(c, v);
    add_clauses_of(c, v);
    add_tables_of(c, v);
  }
  return c;
}

}  // namespace croft

#include "inference/graph/exact/decisions.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "croft/core/error.h"

namespace croft {
namespace {

// A number for each joint state of some variables, the last one changing fastest.
struct DecisionTable {
  std::vector<Variable> scope;
  std::vector<double> values;
};

bool has_variable(const DecisionTable& table, Variable v) {
  return std::ranges::find(table.scope, v) != table.scope.end();
}

// Where each variable of `scope` moves in a table: its stride there, 0 where it is not in it.
class TableWalk {
 public:
  TableWalk(const FactorGraph& graph, const std::vector<Variable>& scope,
            const DecisionTable& table)
      : stride_(scope.size(), 0), table_(table) {
    std::size_t stride = 1;
    for (std::size_t k = table.scope.size(); k-- > 0;) {
      const auto at = std::ranges::find(scope, table.scope[k]);
      stride_[static_cast<std::size_t>(at - scope.begin())] = stride;
      stride *= graph.states(table.scope[k]);
    }
  }
  double at(const std::vector<State>& states) const {
    std::size_t place = 0;
    for (std::size_t k = 0; k < states.size(); ++k) place += states[k] * stride_[k];
    return table_.values[place];
  }

 private:
  std::vector<std::size_t> stride_;
  const DecisionTable& table_;
};

class DecisionElimination {
 public:
  DecisionElimination(const FactorGraph& graph, std::span<const GraphDecision> decisions,
                      std::span<const GraphUtility> utilities, std::uint64_t most_numbers)
      : graph_(graph), decisions_(decisions), most_(most_numbers) {
    for (Factor f = 0; f < graph.factors(); ++f) {
      const auto scope = graph.scope(f);
      DecisionTable table{{scope.begin(), scope.end()}, graph.table(f, most_)};
      for (double& each : table.values) each = std::exp(each);
      weights_.push_back(std::move(table));
    }
    for (const GraphUtility& each : utilities) values_.push_back({each.scope, each.values});
  }

  BestDecisions run() {
    BestDecisions best;
    const auto groups = groups_of_chance();
    for (std::size_t k = decisions_.size(); k-- > 0;) {
      sum_out(groups[k + 1]);
      best.rules.push_back(maximise(decisions_[k].variable));
    }
    sum_out(groups[0]);
    std::ranges::reverse(best.rules);
    double weight = 1, value = 0;
    for (const DecisionTable& each : weights_) weight *= each.values[0];
    for (const DecisionTable& each : values_) value += each.values[0];
    if (!(weight > 0)) {
      throw Error("no assignment is allowed: what is observed is impossible");
    }
    best.log_probability = std::log(weight);
    best.expected_utility = value;
    return best;
  }

 private:
  // Chance variables by the decision after which they become known; the last: never.
  std::vector<std::vector<Variable>> groups_of_chance() const {
    std::vector<std::vector<Variable>> groups(decisions_.size() + 1);
    std::vector<bool> done(graph_.variables(), false);
    for (const GraphDecision& each : decisions_) done[each.variable] = true;
    for (std::size_t k = 0; k < decisions_.size(); ++k) {
      for (const Variable v : decisions_[k].known) {
        if (!done[v]) groups[k].push_back(v);
        done[v] = true;
      }
    }
    for (Variable v = 0; v < graph_.variables(); ++v) {
      if (!done[v]) groups.back().push_back(v);
    }
    return groups;
  }

  std::uint64_t joint_states(const std::vector<Variable>& scope) const {
    std::uint64_t joint = 1;
    for (const Variable v : scope) {
      joint *= graph_.states(v);
      if (joint > most_) return most_ + 1;
    }
    return joint;
  }

  // Of all tables that have a variable; the variable last.
  std::vector<Variable> scope_around(Variable v) const {
    std::set<Variable> all;
    for (const auto* tables : {&weights_, &values_}) {
      for (const DecisionTable& each : *tables) {
        if (has_variable(each, v)) all.insert(each.scope.begin(), each.scope.end());
      }
    }
    all.erase(v);
    std::vector<Variable> scope(all.begin(), all.end());
    scope.push_back(v);
    return scope;
  }

  static std::vector<DecisionTable> take(std::vector<DecisionTable>& tables, Variable v) {
    std::vector<DecisionTable> taken;
    std::erase_if(tables, [&](DecisionTable& each) {
      if (!has_variable(each, v)) return false;
      taken.push_back(std::move(each));
      return true;
    });
    return taken;
  }

  // visit(joint states of the scope without its last variable, weights, values [its states])
  template <class Visit>
  void for_each_row(const std::vector<Variable>& scope, const std::vector<DecisionTable>& weights,
                    const std::vector<DecisionTable>& values, const Visit& visit) const {
    if (joint_states(scope) > most_) {
      throw Error("the best decisions need a table of more than ", most_,
                  " numbers: too many variables are known at once, or depend on each other");
    }
    std::vector<TableWalk> weight_walks, value_walks;
    for (const DecisionTable& each : weights) weight_walks.emplace_back(graph_, scope, each);
    for (const DecisionTable& each : values) value_walks.emplace_back(graph_, scope, each);
    const std::size_t own = graph_.states(scope.back());
    std::vector<State> at(scope.size(), 0);
    std::vector<double> weight(own), value(own);
    for (bool more = true; more;) {
      for (State s = 0; s < own; ++s) {
        at.back() = s;
        weight[s] = 1, value[s] = 0;
        for (const TableWalk& each : weight_walks) weight[s] *= each.at(at);
        for (const TableWalk& each : value_walks) value[s] += each.at(at);
      }
      visit(weight, value);
      more = false;
      for (std::size_t k = scope.size() - 1; k-- > 0 && !more;) {
        more = ++at[k] < graph_.states(scope[k]);
        if (!more) at[k] = 0;
      }
    }
  }

  // The next variable is the one around which the joint states are fewest.
  void sum_out(std::vector<Variable> group) {
    while (!group.empty()) {
      std::size_t next = 0;
      std::uint64_t fewest = ~std::uint64_t{0};
      for (std::size_t k = 0; k < group.size(); ++k) {
        const std::uint64_t states = joint_states(scope_around(group[k]));
        if (states < fewest) fewest = states, next = k;
      }
      sum_out(group[next]);
      group.erase(group.begin() + static_cast<std::ptrdiff_t>(next));
    }
  }

  // weight = sum of the weights, value = sum of weight times value, over that weight.
  void sum_out(Variable v) {
    const std::vector<Variable> scope = scope_around(v);
    const std::vector<DecisionTable> weights = take(weights_, v), values = take(values_, v);
    DecisionTable weight{{scope.begin(), scope.end() - 1}, {}}, value = weight;
    for_each_row(scope, weights, values, [&](const auto& w, const auto& u) {
      double total = 0, sum = 0;
      for (std::size_t s = 0; s < w.size(); ++s) {
        total += w[s];
        if (w[s] > 0) sum += w[s] * u[s];
      }
      weight.values.push_back(total);
      value.values.push_back(total > 0 ? sum / total : 0);
    });
    const bool ones =
        std::ranges::all_of(weight.values, [](double w) { return std::abs(w - 1) < 1e-12; });
    if (!ones) weights_.push_back(std::move(weight));
    if (!values.empty()) values_.push_back(std::move(value));
  }

  // The weights do not depend on a decision that nothing known before it depends on.
  DecisionRule maximise(Variable v) {
    const std::vector<Variable> scope = scope_around(v);
    const std::vector<DecisionTable> weights = take(weights_, v), values = take(values_, v);
    DecisionRule rule;
    rule.decision = v;
    rule.given.assign(scope.begin(), scope.end() - 1);
    DecisionTable weight{rule.given, {}}, value = weight;
    for_each_row(scope, weights, values, [&](const auto& w, const auto& u) {
      std::size_t best = 0;
      for (std::size_t s = 1; s < u.size(); ++s) {
        if (u[s] > u[best]) best = s;
      }
      const double most = *std::ranges::max_element(w);
      rule.best.push_back(static_cast<State>(best));
      rule.occurs.push_back(most > 0 ? 1 : 0);
      rule.utility.insert(rule.utility.end(), u.begin(), u.end());
      weight.values.push_back(most);
      value.values.push_back(u[best]);
    });
    if (!weights.empty()) weights_.push_back(std::move(weight));
    if (!values.empty()) values_.push_back(std::move(value));
    return rule;
  }

  const FactorGraph& graph_;
  const std::span<const GraphDecision> decisions_;
  const std::uint64_t most_;
  std::vector<DecisionTable> weights_, values_;
};

// Whether there is a directed path, by variable.
class DirectedPaths {
 public:
  DirectedPaths(const FactorGraph& graph, std::span<const GraphDecision> decisions)
      : children_(graph.variables()) {
    for (Factor f = 0; f < graph.factors(); ++f) {
      const auto scope = graph.scope(f);
      for (std::size_t k = 0; k + 1 < scope.size(); ++k) add(scope[k], scope.back());
    }
    for (const GraphDecision& each : decisions) {
      for (const Variable v : each.known) add(v, each.variable);
    }
  }
  // What is behind a variable, without it unless it is on a cycle.
  std::vector<bool> behind(Variable v) const {
    std::vector<bool> seen(children_.size(), false);
    std::vector<Variable> open{v};
    while (!open.empty()) {
      const Variable at = open.back();
      open.pop_back();
      for (const Variable child : children_[at]) {
        if (!seen[child]) open.push_back(child);
        seen[child] = true;
      }
    }
    return seen;
  }

 private:
  void add(Variable from, Variable to) { children_[from].push_back(to); }
  std::vector<std::vector<Variable>> children_;
};

}  // namespace

std::vector<GraphDecision> in_order(const FactorGraph& graph,
                                    std::span<const GraphDecision> decisions,
                                    const std::function<std::string(Variable)>& name_of) {
  const auto name = [&](Variable v) { return name_of ? name_of(v) : std::to_string(v); };
  const DirectedPaths paths(graph, decisions);
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (!paths.behind(v)[v]) continue;
    throw UsageError("an influence diagram has no directed cycle, and ", name(v), " is on one");
  }
  struct Taken {
    GraphDecision decision;
    std::vector<bool> behind;
    std::size_t before = 0;  // decisions
  };
  std::vector<Taken> all;
  for (const GraphDecision& each : decisions) all.push_back({each, paths.behind(each.variable), 0});
  for (Taken& each : all) {
    for (const Taken& other : all) {
      if (&each == &other) continue;
      const Variable a = each.decision.variable, b = other.decision.variable;
      if (other.behind[a]) ++each.before;
      if (!other.behind[a] && !each.behind[b]) {
        throw UsageError("nothing says which decision is taken first, ", name(a), " or ", name(b),
                         "; let one of them know the other");
      }
    }
  }
  std::ranges::sort(all, {}, &Taken::before);
  std::vector<GraphDecision> ordered;
  for (Taken& each : all) {
    std::set<Variable> known(each.decision.known.begin(), each.decision.known.end());
    if (!ordered.empty()) {
      known.insert(ordered.back().known.begin(), ordered.back().known.end());
      known.insert(ordered.back().variable);
    }
    ordered.push_back({each.decision.variable, {known.begin(), known.end()}});
  }
  return ordered;
}

BestDecisions best_decisions(const FactorGraph& graph, std::span<const GraphDecision> decisions,
                             std::span<const GraphUtility> utilities, std::uint64_t most_numbers) {
  return DecisionElimination(graph, decisions, utilities, most_numbers).run();
}

std::vector<GraphUtility> condition(std::span<const GraphUtility> utilities,
                                    const FactorGraph& graph, std::span<const State> evidence) {
  std::vector<GraphUtility> out;
  for (const GraphUtility& each : utilities) {
    GraphUtility rest{each.name, {}, {}};
    for (const Variable v : each.scope) {
      if (evidence[v] == kUnobserved) rest.scope.push_back(v);
    }
    std::vector<State> at(each.scope.size(), 0);
    for (const double value : each.values) {
      bool fits = true;
      for (std::size_t k = 0; k < at.size(); ++k) {
        fits = fits && (evidence[each.scope[k]] == kUnobserved || evidence[each.scope[k]] == at[k]);
      }
      if (fits) rest.values.push_back(value);
      for (std::size_t k = at.size(); k-- > 0;) {
        if (++at[k] < graph.states(each.scope[k])) break;
        at[k] = 0;
      }
    }
    out.push_back(std::move(rest));
  }
  return out;
}

}  // namespace croft

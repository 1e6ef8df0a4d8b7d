#include "app/infer/decide.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/infer/table_text.h"
#include "app/inspect/inspect.h"
#include "core/json.h"
#include "croft/core/error.h"

namespace croft {
namespace {

// What a decision has an effect on: all that is behind it in the network.
std::vector<bool> affected_by(const GraphFile& file, Variable decision) {
  std::vector<bool> seen(file.graph.variables(), false);
  std::vector<Variable> open{decision};
  while (!open.empty()) {
    const Variable at = open.back();
    open.pop_back();
    for (Factor f = 0; f < file.graph.factors(); ++f) {
      const auto scope = file.graph.scope(f);
      const Variable child = scope.back();
      if (seen[child] || std::ranges::find(scope, at) == scope.end() || child == at) continue;
      seen[child] = true;
      open.push_back(child);
    }
  }
  return seen;
}

void check_effects(const GraphFile& file, const GraphDecision& open,
                   std::span<const State> evidence, const std::vector<SoftFinding>& soft) {
  const std::vector<bool> affected = affected_by(file, open.variable);
  const auto refuse = [&](Variable v) {
    throw UsageError("variable ", in_quotes(variable_name(file.names, v)),
                     " is observed, and decision ",
                     in_quotes(variable_name(file.names, open.variable)),
                     ", which has an effect on it, is not; observe what was decided, too");
  };
  for (Variable v = 0; v < evidence.size(); ++v) {
    if (evidence[v] != kUnobserved && affected[v]) refuse(v);
  }
  for (const SoftFinding& each : soft) {
    if (affected[each.variable]) refuse(each.variable);
  }
}

// The states of the variables before the last one, for each row of a rule.
std::vector<std::vector<State>> rows_of(const DecisionRule& rule, const FactorGraph& graph) {
  std::vector<std::vector<State>> rows;
  std::vector<State> at(rule.given.size(), 0);
  for (std::size_t row = 0; row < rule.best.size(); ++row) {
    rows.push_back(at);
    for (std::size_t k = at.size(); k-- > 0;) {
      if (++at[k] < graph.states(rule.given[k])) break;
      at[k] = 0;
    }
  }
  return rows;
}

std::span<const double> utilities_of(const DecisionRule& rule, std::size_t row) {
  const std::size_t choices = rule.utility.size() / rule.best.size();
  return std::span(rule.utility).subspan(row * choices, choices);
}

std::string table_of(const DecisionRule& rule, const GraphFile& file) {
  const auto state = [&](Variable v, State s) { return escaped(state_name(file.names, v, s)); };
  std::vector<std::vector<std::string>> rows(1);
  for (const Variable v : rule.given) rows[0].push_back(escaped(variable_name(file.names, v)));
  rows[0].push_back("best");
  for (State s = 0; s < file.graph.states(rule.decision); ++s) {
    rows[0].push_back(state(rule.decision, s));
  }
  const auto known = rows_of(rule, file.graph);
  for (std::size_t row = 0; row < known.size(); ++row) {
    if (rule.occurs[row] == 0) continue;
    rows.emplace_back();
    for (std::size_t k = 0; k < rule.given.size(); ++k) {
      rows.back().push_back(state(rule.given[k], known[row][k]));
    }
    rows.back().push_back(state(rule.decision, rule.best[row]));
    for (const double each : utilities_of(rule, row)) {
      rows.back().push_back(fmt::format("{:.6g}", each));
    }
  }
  return "\ndecision " + escaped(variable_name(file.names, rule.decision)) + "\n" + aligned(rows);
}

}  // namespace

void check_decided(const GraphFile& file, std::span<const State> evidence) {
  for (const GraphDecision& each : file.decisions) {
    if (each.variable < evidence.size() && evidence[each.variable] != kUnobserved) continue;
    throw UsageError("decision ", in_quotes(variable_name(file.names, each.variable)),
                     " is open: ask with --decide, or observe it");
  }
}

BestDecisions decide(const GraphFile& file, const FactorGraph& graph,
                     std::span<const State> evidence, const std::vector<SoftFinding>& soft) {
  if (file.decisions.empty()) {
    throw UsageError("the network has no decisions: .xdsl, .net and .xmlbif may have some");
  }
  const auto name = [&](Variable v) { return in_quotes(variable_name(file.names, v)); };
  std::vector<GraphDecision> open;
  for (const GraphDecision& each : in_order(file.graph, file.decisions, name)) {
    if (evidence[each.variable] != kUnobserved) continue;
    check_effects(file, each, evidence, soft);
    open.push_back(each);
  }
  return best_decisions(condition(graph, evidence), open,
                        condition(file.utilities, file.graph, evidence));
}

std::string format_answer(const BestDecisions& best, const GraphFile& file) {
  std::string text = fmt::format("expected utility  {:.10g}\n", best.expected_utility);
  for (const DecisionRule& rule : best.rules) text += table_of(rule, file);
  return text;
}

Json to_json(const BestDecisions& best, const GraphFile& file) {
  Json rules = Json::array();
  for (const DecisionRule& rule : best.rules) {
    Json one{{"decision", variable_name(file.names, rule.decision)}};
    one["given"] = Json::array();
    for (const Variable v : rule.given) one["given"].push_back(variable_name(file.names, v));
    one["choices"] = Json::array();
    for (State s = 0; s < file.graph.states(rule.decision); ++s) {
      one["choices"].push_back(state_name(file.names, rule.decision, s));
    }
    one["rules"] = Json::array();
    const auto known = rows_of(rule, file.graph);
    for (std::size_t row = 0; row < known.size(); ++row) {
      if (rule.occurs[row] == 0) continue;
      Json states = Json::array(), utilities = Json::array();
      for (std::size_t k = 0; k < rule.given.size(); ++k) {
        states.push_back(state_name(file.names, rule.given[k], known[row][k]));
      }
      for (const double each : utilities_of(rule, row)) utilities.push_back(each);
      one["rules"].push_back({{"given", std::move(states)},
                              {"best", state_name(file.names, rule.decision, rule.best[row])},
                              {"utilities", std::move(utilities)}});
    }
    rules.push_back(std::move(one));
  }
  return {{"expected_utility", best.expected_utility},
          {"log_probability", best.log_probability},
          {"decisions", std::move(rules)}};
}

}  // namespace croft

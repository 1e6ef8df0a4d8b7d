#include "sql/logic/rule_plan.h"

#include <algorithm>
#include <utility>

namespace croft {
namespace {

// False where SQLite cannot.
bool join_all(const AtomSpace& space, const LogicRule& rule, RulePlan& plan) {
  for (const LiteralClause& clause : plan.weighted.clauses) {
    std::optional<RuleJoin> join = rule_join(space, rule, *plan.form, &clause);
    if (!join) return false;
    plan.joins.push_back(std::move(*join));
  }
  plan.groundings = rule_join(space, rule, *plan.form, nullptr);
  return plan.groundings.has_value();
}

void count_uses(const Formula& formula, std::vector<std::size_t>& uses) {
  if (formula.kind == FormulaKind::atom) ++uses[formula.number];
  for (const Formula& part : formula.parts) count_uses(part, uses);
}

void fix(Term& term, const AtomSpace& space, const LogicRule& rule,
         const std::vector<std::uint32_t>& constants) {
  for (Term& each : term.arguments) fix(each, space, rule, constants);
  if (term.kind != TermKind::variable || !rule.variables[term.number].each) return;
  const std::uint32_t type = rule.variables[term.number].type;
  const LogicEvidence& evidence = space.evidence();
  term = {.kind = TermKind::constant,
          .number = evidence.constants.find(evidence.types[type][constants[term.number]])};
}

void fix(Formula& formula, const AtomSpace& space, const LogicRule& rule,
         const std::vector<std::uint32_t>& constants) {
  for (Term& term : formula.terms) fix(term, space, rule, constants);
  for (Formula& part : formula.parts) fix(part, space, rule, constants);
}

}  // namespace

double RulePlan::times() const {
  double most = 1;
  for (const RuleJoin& join : joins) most = std::max(most, join.times);
  return most;
}

RulePlan plan_rule(const AtomSpace& space, const LogicRule& rule, WeightReading reading) {
  RulePlan plan;
  plan.weight = rule.hard ? kHardWeight : rule.weight;
  plan.form = rule_form(rule);
  for (const RuleVariable& each : rule.variables) {
    // EXIST over nothing is false, whatever does not depend on it.
    if (each.quantified && space.constants(each.type) == 0) plan.form.reset();
  }
  if (!plan.form) return plan;
  const auto usable = [&](const LiteralClause& clause) {
    return std::none_of(clause.begin(), clause.end(), [&](std::uint32_t code) {
      return (code & 1) != 0 && !plan.form->literals[code / 2].over.empty();
    });
  };
  std::optional<WeightedForm> weighted;
  if (rule.hard) {
    auto clauses = clauses_of(plan.form->formula, kMostClauses);
    if (clauses && std::all_of(clauses->begin(), clauses->end(), usable)) {
      weighted = WeightedForm{.clauses = std::move(*clauses)};
    }
  } else {
    weighted = weighted_form(plan.form->formula, reading_of(rule, reading), kMostClauses, usable);
  }
  if (weighted) {
    plan.weighted = std::move(*weighted);
    if (join_all(space, rule, plan)) return plan;
  }
  plan.form.reset();
  plan.joins.clear();
  return plan;
}

std::vector<std::uint32_t> free_variables(const LogicRule& rule) {
  std::vector<std::uint32_t> free;
  for (std::uint32_t v = 0; v < rule.variables.size(); ++v) {
    if (!rule.variables[v].quantified) free.push_back(v);
  }
  return free;
}

bool must_specialise(const AtomSpace& space, const LogicRule& rule, WeightReading reading) {
  if (rule.hard || reading_of(rule, reading) != WeightReading::clausal) return false;
  const auto each = std::count_if(rule.variables.begin(), rule.variables.end(),
                                  [](const RuleVariable& v) { return v.each; });
  std::vector<std::size_t> uses(space.network().predicates.size(), 0);
  count_uses(rule.formula, uses);
  return each > 0 && std::any_of(uses.begin(), uses.end(), [](auto n) { return n > 1; });
}

LogicRule specialised(const AtomSpace& space, const LogicRule& rule,
                      const std::vector<std::uint32_t>& constants) {
  LogicRule special = rule;
  fix(special.formula, space, rule, constants);
  for (RuleVariable& each : special.variables) each.quantified |= std::exchange(each.each, false);
  special.unique.clear();
  return special;
}

}  // namespace croft

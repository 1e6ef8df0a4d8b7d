#include "logic/rule_form.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace croft {
namespace {

bool uses(const Term& term, std::span<const std::uint32_t> variables) {
  if (term.kind == TermKind::variable) {
    return std::find(variables.begin(), variables.end(), term.number) != variables.end();
  }
  return std::any_of(term.arguments.begin(), term.arguments.end(),
                     [&](const Term& each) { return uses(each, variables); });
}

class RuleFormer {
 public:
  bool form(const Formula& formula, Junction& out) {
    switch (formula.kind) {
      case FormulaKind::negation:
        if (!form(formula.parts[0], out)) return false;
        out = negation_of(std::move(out));
        return true;
      case FormulaKind::all:
      case FormulaKind::any:
      case FormulaKind::equivalence:
        return form_parts(formula, out);
      case FormulaKind::exists:
      case FormulaKind::forall:
        return quantified(formula, out);
      default:
        out = Junction::of(
            number({.kind = formula.kind, .number = formula.number, .terms = formula.terms}));
        return true;
    }
  }

  std::vector<RuleLiteral> literals;

 private:
  std::uint32_t number(RuleLiteral literal) {
    const auto found = std::find(literals.begin(), literals.end(), literal);
    const auto place = static_cast<std::uint32_t>(found - literals.begin());
    if (found == literals.end()) literals.push_back(std::move(literal));
    return 2 * place;
  }

  bool form_parts(const Formula& formula, Junction& out) {
    std::vector<Junction> parts(formula.parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!form(formula.parts[i], parts[i])) return false;
    }
    if (formula.kind == FormulaKind::equivalence) {
      out = equivalence_of(std::move(parts[0]), std::move(parts[1]));
    } else {
      out = joined(formula.kind == FormulaKind::all ? Junction::Kind::all : Junction::Kind::any,
                   std::move(parts));
    }
    return true;
  }

  // EXIST y (A v B(y))  is  A v (EXIST y B(y)); FORALL is the negation of EXIST of the negation.
  bool quantified(const Formula& formula, Junction& out) {
    Junction body;
    if (!form(formula.parts[0], body)) return false;
    const bool for_all = formula.kind == FormulaKind::forall;
    if (for_all) body = negation_of(std::move(body));
    std::vector<Junction> parts;
    if (body.kind == Junction::Kind::any) {
      parts = std::move(body.parts);
    } else {
      parts.push_back(std::move(body));
    }
    for (Junction& part : parts) {
      if (part.kind != Junction::Kind::literal) return false;
      if (!spread(part.literal, formula.variables, part)) return false;
    }
    out = joined(Junction::Kind::any, std::move(parts));
    if (for_all) out = negation_of(std::move(out));
    return true;
  }

  bool spread(std::uint32_t literal, const std::vector<std::uint32_t>& variables, Junction& out) {
    RuleLiteral spread = literals[literal / 2];
    const bool negated = literal & 1;
    std::vector<std::uint32_t> over;
    for (const std::uint32_t v : variables) {
      for (const Term& term : spread.terms) {
        if (!uses(term, std::span(&v, 1))) continue;
        if (term.kind != TermKind::variable) return false;  // computed for each value
        if (std::find(over.begin(), over.end(), v) == over.end()) over.push_back(v);
      }
    }
    if (over.empty()) {
      out = Junction::of(literal);
      return true;
    }
    if (spread.kind != FormulaKind::atom && spread.kind != FormulaKind::equal) return false;
    for (const Term& term : spread.terms) {
      if (term.kind == TermKind::function || term.kind == TermKind::arithmetic) return false;
    }
    // EXIST y !P(y) is a literal of its own: the sign stands within.
    if (negated && !spread.over.empty()) return false;
    spread.over.insert(spread.over.end(), over.begin(), over.end());
    if (spread.over.size() == over.size()) spread.negated_within = negated;
    out = Junction::of(number(std::move(spread)));
    return true;
  }
};

}  // namespace

std::optional<RuleForm> rule_form(const LogicRule& rule) {
  RuleFormer former;
  RuleForm out;
  if (!former.form(rule.formula, out.formula)) return {};
  out.literals = std::move(former.literals);
  return out;
}

}  // namespace croft

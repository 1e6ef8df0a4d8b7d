#include "logic/clausal_form.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace croft {
namespace {

using Clauses = std::vector<LiteralClause>;

bool contains(const LiteralClause& clause, std::uint32_t literal) {
  return std::binary_search(clause.begin(), clause.end(), literal);
}

// The union of two clauses; false where it is always true.
bool unite(const LiteralClause& a, const LiteralClause& b, LiteralClause& out) {
  out.clear();
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    if ((out[i] ^ 1) == out[i + 1]) return false;
  }
  return true;
}

void add_once(Clauses& clauses, LiteralClause clause) {
  if (std::find(clauses.begin(), clauses.end(), clause) == clauses.end()) {
    clauses.push_back(std::move(clause));
  }
}

// The cube (what makes `clause` false) where all of `others` are true, as disjoint cubes; each cube
// is the clause that it makes false.
bool split(LiteralClause clause, std::span<const LiteralClause> others, std::size_t most,
           Clauses& out) {
  if (others.empty()) {
    if (out.size() == most) return false;
    out.push_back(std::move(clause));
    return true;
  }
  const LiteralClause& other = others.front();
  // A literal of the other whose negation the clause has is true in the cube.
  for (const std::uint32_t literal : other) {
    if (contains(clause, literal ^ 1))
      return split(std::move(clause), others.subspan(1), most, out);
  }
  // The first literal of the other is true; or it is false, and the second one is true; ...
  for (const std::uint32_t literal : other) {
    if (contains(clause, literal)) continue;  // false in the cube
    LiteralClause more = clause;
    more.insert(std::lower_bound(more.begin(), more.end(), literal ^ 1), literal ^ 1);
    if (!split(std::move(more), others.subspan(1), most, out)) return false;
    clause.insert(std::lower_bound(clause.begin(), clause.end(), literal), literal);
  }
  return true;  // where all of the other's literals are false, the other is
}

std::size_t literals_of(const Clauses& clauses) {
  std::size_t count = 0;
  for (const LiteralClause& each : clauses) count += each.size();
  return count;
}

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
      out = equivalence_of(parts[0], parts[1]);
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

std::string_view name_of(WeightReading reading) {
  return reading == WeightReading::formula ? "formula" : "clausal";
}

WeightReading weight_reading(std::string_view name) {
  for (const WeightReading each : {WeightReading::formula, WeightReading::clausal}) {
    if (name == name_of(each)) return each;
  }
  throw UsageError("--weights ", in_quotes(name), " is none of formula, clausal");
}

Junction negation_of(Junction junction) {
  if (junction.kind == Junction::Kind::literal) {
    junction.literal ^= 1;
    return junction;
  }
  junction.kind = junction.kind == Junction::Kind::all ? Junction::Kind::any : Junction::Kind::all;
  for (Junction& part : junction.parts) part = negation_of(std::move(part));
  return junction;
}

Junction joined(Junction::Kind kind, std::vector<Junction> parts) {
  const bool all = kind == Junction::Kind::all;
  Junction out{.kind = kind};
  for (Junction& part : parts) {
    if (all ? part.is_false() : part.is_true()) return std::move(part);
    if (part.kind == kind) {
      std::move(part.parts.begin(), part.parts.end(), std::back_inserter(out.parts));
    } else if (!part.is_true() && !part.is_false()) {
      out.parts.push_back(std::move(part));
    }
  }
  if (out.parts.size() != 1) return out;
  Junction only = std::move(out.parts[0]);
  return only;
}

Junction equivalence_of(const Junction& a, const Junction& b) {
  using Kind = Junction::Kind;
  return joined(Kind::all,
                {joined(Kind::any, {negation_of(a), b}), joined(Kind::any, {a, negation_of(b)})});
}

std::optional<Clauses> clauses_of(const Junction& junction, std::size_t most) {
  if (junction.kind == Junction::Kind::literal) return Clauses{{junction.literal}};
  if (junction.kind == Junction::Kind::all) {
    Clauses out;
    for (const Junction& part : junction.parts) {
      std::optional<Clauses> clauses = clauses_of(part, most);
      if (!clauses) return {};
      for (LiteralClause& each : *clauses) add_once(out, std::move(each));
      if (out.size() > most) return {};
    }
    return out;
  }
  Clauses out{{}};
  for (const Junction& part : junction.parts) {
    const std::optional<Clauses> clauses = clauses_of(part, most);
    if (!clauses || out.size() * clauses->size() > 4 * most) return {};
    Clauses product;
    LiteralClause both;
    for (const LiteralClause& a : out) {
      for (const LiteralClause& b : *clauses) {
        if (unite(a, b, both)) add_once(product, both);
      }
    }
    if (product.size() > most) return {};
    out = std::move(product);
  }
  return out;
}

std::optional<Clauses> disjoint_clauses(const Clauses& clauses, std::size_t most) {
  Clauses out;
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    if (!split(clauses[i], std::span(clauses).first(i), most, out)) return {};
  }
  return out;
}

std::vector<WeightedForm> weighted_forms(const Junction& formula, WeightReading reading,
                                         std::size_t most) {
  std::vector<WeightedForm> out;
  const std::optional<Clauses> clauses = clauses_of(formula, most);
  if (reading == WeightReading::clausal) {
    if (!clauses) return out;
    const bool conjunction =
        clauses->size() > 1 && std::all_of(clauses->begin(), clauses->end(),
                                           [](const auto& each) { return each.size() == 1; });
    if (conjunction) {
      LiteralClause negated;
      for (const LiteralClause& each : *clauses) negated.push_back(each[0] ^ 1);
      std::sort(negated.begin(), negated.end());
      out.push_back({.base = 0, .factor = -1, .clauses = {std::move(negated)}});
    } else if (!clauses->empty()) {
      out.push_back({.base = 1, .factor = 1. / clauses->size(), .clauses = *clauses});
    } else {
      out.push_back({.base = 0, .factor = 0, .clauses = {}});
    }
    return out;
  }
  if (clauses) {
    if (auto disjoint = disjoint_clauses(*clauses, most)) {
      out.push_back({.base = 1, .factor = 1, .clauses = std::move(*disjoint)});
    }
  }
  if (const auto others = clauses_of(negation_of(formula), most)) {
    if (auto disjoint = disjoint_clauses(*others, most)) {
      out.push_back({.base = 0, .factor = -1, .clauses = std::move(*disjoint)});
    }
  }
  const auto size = [](const WeightedForm& form) {
    return std::pair(form.clauses.size(), literals_of(form.clauses));
  };
  if (out.size() == 2 && size(out[1]) < size(out[0])) std::swap(out[0], out[1]);
  return out;
}

std::optional<RuleForm> rule_form(const LogicRule& rule) {
  RuleFormer former;
  RuleForm out;
  if (!former.form(rule.formula, out.formula)) return {};
  out.literals = std::move(former.literals);
  return out;
}

}  // namespace croft

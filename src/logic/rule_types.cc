#include "logic/rule_types.h"

#include <vector>

namespace croft {
namespace {

class RuleTypes {
 public:
  explicit RuleTypes(LogicNetwork& out) : out_(out) {}

  void settle_all() {
    for (LogicRule& rule : out_.rules) settle(rule);
    listed_.resize(out_.types.size());
    for (std::size_t t = 0; t < listed_.size(); ++t) listed_[t] = out_.types[t].size() > 0;
    for (const LogicRule& rule : out_.rules) note_constants(rule, rule.formula);
  }

 private:
  void settle(LogicRule& rule) {
    for (bool changed = true; changed;) changed = spread_types(rule, rule.formula);
    name_types(rule, rule.formula);
    for (bool changed = true; changed;) changed = spread_types(rule, rule.formula);
    for (const RuleVariable& each : rule.variables) {
      if (each.type != kNoNumber) continue;
      throw InputError(rule.where, "nothing says the type of this variable", each.name,
                       "use it as the argument of a predicate");
    }
  }

  std::uint32_t type_of(const LogicRule& rule, const Term& term) const {
    if (term.kind == TermKind::variable) return rule.variables[term.number].type;
    if (term.kind == TermKind::function) return out_.functions[term.number].result;
    return kNoNumber;
  }

  bool give_type(LogicRule& rule, const Term& term, std::uint32_t type) {
    bool changed = false;
    if (term.kind == TermKind::function) {
      const LogicFunction& function = out_.functions[term.number];
      for (std::size_t i = 0; i < term.arguments.size(); ++i) {
        changed |= give_type(rule, term.arguments[i], function.types[i]);
      }
    } else if (term.kind == TermKind::arithmetic) {
      for (const Term& each : term.arguments) changed |= give_type(rule, each, kNoNumber);
    }
    if (type == kNoNumber) return changed;
    const std::uint32_t known = type_of(rule, term);
    if (known == kNoNumber && term.kind == TermKind::variable) {
      rule.variables[term.number].type = type;
      return true;
    }
    if (known != kNoNumber && known != type) {
      const std::string& name = term.kind == TermKind::variable ? rule.variables[term.number].name
                                                                : out_.function_names[term.number];
      throw InputError(
          rule.where,
          Message("this is of the types ", out_.type_names[known], " and ", out_.type_names[type]),
          name, "each variable has one type");
    }
    return changed;
  }

  bool spread_types(LogicRule& rule, const Formula& formula) {
    bool changed = false;
    for (const Formula& part : formula.parts) changed |= spread_types(rule, part);
    if (formula.kind == FormulaKind::atom) {
      LogicPredicate& predicate = out_.predicates[formula.number];
      for (std::size_t i = 0; i < formula.terms.size(); ++i) {
        changed |= give_type(rule, formula.terms[i], predicate.types[i]);
        if (predicate.types[i] != kNoNumber) continue;
        predicate.types[i] = type_of(rule, formula.terms[i]);
        changed |= predicate.types[i] != kNoNumber;
      }
    } else if (formula.kind == FormulaKind::equal) {
      changed |= give_type(rule, formula.terms[0], type_of(rule, formula.terms[1]));
      changed |= give_type(rule, formula.terms[1], type_of(rule, formula.terms[0]));
    } else {
      for (const Term& each : formula.terms) changed |= give_type(rule, each, kNoNumber);
    }
    return changed;
  }

  // A type of its own for each argument of which nothing is said.
  void name_types(const LogicRule& rule, const Formula& formula) {
    for (const Formula& part : formula.parts) name_types(rule, part);
    if (formula.kind != FormulaKind::atom) return;
    LogicPredicate& predicate = out_.predicates[formula.number];
    for (std::size_t i = 0; i < predicate.types.size(); ++i) {
      if (predicate.types[i] != kNoNumber) continue;
      predicate.types[i] = out_.add_type(out_.predicate_names[formula.number] + " argument " +
                                         std::to_string(i + 1));
    }
  }

  void note_term(const LogicRule& rule, const Term& term, std::uint32_t type) {
    if (term.kind == TermKind::constant && type != kNoNumber) {
      const std::string& name = out_.constants[term.number];
      if (listed_[type] && out_.types[type].find(name) == kNoNumber) {
        throw InputError(
            rule.where,
            Message("the constants of the type ", out_.type_names[type],
                    " are listed, and this is none of them"),
            name, Message("correct it, or list it: ", out_.type_names[type], " = {", name, ", …}"));
      }
      out_.types[type].insert(name);
    } else if (term.kind == TermKind::function) {
      for (std::size_t i = 0; i < term.arguments.size(); ++i) {
        note_term(rule, term.arguments[i], out_.functions[term.number].types[i]);
      }
    }
  }

  // What a rule names is there.
  void note_constants(const LogicRule& rule, const Formula& formula) {
    for (const Formula& part : formula.parts) note_constants(rule, part);
    for (std::size_t i = 0; i < formula.terms.size(); ++i) {
      std::uint32_t type = kNoNumber;
      if (formula.kind == FormulaKind::atom) type = out_.predicates[formula.number].types[i];
      if (formula.kind == FormulaKind::equal) type = type_of(rule, formula.terms[1 - i]);
      note_term(rule, formula.terms[i], type);
    }
  }

  LogicNetwork& out_;
  std::vector<bool> listed_;  // [types] that were declared with constants
};

}  // namespace

void settle_types(LogicNetwork& network) { RuleTypes(network).settle_all(); }

}  // namespace croft

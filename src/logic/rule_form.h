// A rule's formula over literals that joins ground: docs/math/markov_logic.md sections 3 and 5.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "logic/clausal_form.h"
#include "logic/network.h"

namespace croft {

// A literal of a rule before grounding.  With variables of its own it is the disjunction over all
// their values, of atoms and equalities or of their negations.
struct RuleLiteral {
  FormulaKind kind = FormulaKind::atom;  // atom, equal, less, less_equal, substring
  std::uint32_t number = 0;
  std::vector<Term> terms = {};
  std::vector<std::uint32_t> over = {};  // variables
  bool negated_within = false;           // of EXIST y !P(y)

  bool operator==(const RuleLiteral&) const = default;
};

// A rule's formula by its literals.
struct RuleForm {
  std::vector<RuleLiteral> literals;
  Junction formula;
};
// Empty where a quantifier stands over what is no disjunction (EXIST) or no conjunction (FORALL) of
// literals.
std::optional<RuleForm> rule_form(const LogicRule& rule);

}  // namespace croft

// Any bytes as a Markov logic network: an InputError with a line and a column, or rules whose
// numbers all mean something, and whose clauses are true where the formula is.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "croft/core/error.h"
#include "logic/clausal_form.h"
#include "logic/evidence.h"
#include "logic/network_parser.h"
#include "logic/rule_form.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_logic_network {

namespace {

// Ranges of constants are as large as their numbers say.
bool may_have_a_large_range(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits == 5) return text.find("...") != text.npos;
  }
  return false;
}

class RuleCheck {
 public:
  RuleCheck(const croft::LogicNetwork& network, const croft::LogicRule& rule)
      : network_(network), rule_(rule) {}

  void check(const croft::Formula& formula) const {
    for (const croft::Formula& part : formula.parts) check(part);
    for (const croft::Term& term : formula.terms) check(term);
    for (const std::uint32_t v : formula.variables) {
      require(rule_.variables.at(v).quantified, "a quantifier over a free variable");
    }
    if (formula.kind == croft::FormulaKind::atom) {
      const auto& predicate = network_.predicates.at(formula.number);
      require(predicate.types.size() == formula.terms.size(), "another number of arguments");
    }
  }

 private:
  void check(const croft::Term& term) const {
    for (const croft::Term& each : term.arguments) check(each);
    switch (term.kind) {
      case croft::TermKind::variable:
        require(rule_.variables.at(term.number).type < network_.types.size(), "no type");
        break;
      case croft::TermKind::constant:
        require(term.number < network_.constants.size(), "no constant");
        break;
      case croft::TermKind::function:
        require(network_.functions.at(term.number).types.size() == term.arguments.size(),
                "another number of arguments of a function");
        break;
      case croft::TermKind::arithmetic:
        require(term.arguments.size() == 2, "arithmetic of other than two terms");
        break;
    }
  }

  const croft::LogicNetwork& network_;
  const croft::LogicRule& rule_;
};

}  // namespace

CROFT_FUZZ_TARGET(fuzz_logic_network) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size > 4096 || may_have_a_large_range(text)) return 0;
  try {
    const croft::LogicNetwork network =
        croft::parse_network(croft::read_logic_tokens(croft::LineReader(text, "fuzz")));
    require(network.types.size() == network.type_names.size(), "a type without constants");
    require(network.predicates.size() == network.predicate_names.size(), "a predicate too many");
    for (const croft::LogicRule& rule : network.rules) {
      require(rule.where.line > 0 && rule.where.column > 0 && !rule.text.empty(), "no place");
      RuleCheck(network, rule).check(rule.formula);
      if (const auto form = croft::rule_form(rule)) {
        croft::weighted_forms(form->formula, croft::WeightReading::formula, 16);
      }
    }
    const croft::LogicEvidence evidence(network);
    require(evidence.types.size() == network.types.size(), "other types");
  } catch (const croft::InputError& error) {
    require(error.where().line > 0, "a fault without a line");
  }
  return 0;
}

}  // namespace fuzz_logic_network

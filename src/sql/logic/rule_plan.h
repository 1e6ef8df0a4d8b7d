// How a rule is grounded: by joins of its clauses, or one grounding after the other.
#pragma once
#include <optional>
#include <vector>

#include "logic/atom_space.h"
#include "logic/clause_store.h"
#include "sql/logic/rule_join.h"

namespace croft {

inline constexpr std::size_t kMostClauses = 64;  // of a rule, or of one grounding

struct RulePlan {
  double weight = 0;
  std::optional<RuleForm> form;        // of joins; else one grounding after the other
  WeightedForm weighted;               // clauses of form->literals
  std::vector<RuleJoin> joins;         // [clauses]
  std::optional<RuleJoin> groundings;  // where functions decide which there are

  // Groundings of the rule for each row, of the join that has the most.
  double times() const;
};

// [formula] counts as it is written in either reading.
inline WeightReading reading_of(const LogicRule& rule, WeightReading reading) {
  return rule.whole ? WeightReading::formula : reading;
}

RulePlan plan_rule(const AtomSpace& space, const LogicRule& rule, WeightReading reading);
std::vector<std::uint32_t> free_variables(const LogicRule& rule);

// Whether the rule's weight is shared out over the clauses of each rule that + makes, of which
// there can be fewer where constants meet.
bool must_specialise(const AtomSpace& space, const LogicRule& rule, WeightReading reading);
// The rule with constants for its variables with +, which are no free variables any more.
//   constants : [variables] by their numbers in their types
LogicRule specialised(const AtomSpace& space, const LogicRule& rule,
                      const std::vector<std::uint32_t>& constants);

}  // namespace croft

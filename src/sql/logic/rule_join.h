// The groundings of a rule's clause that the evidence does not make true, as a join over the tables
// of the evidence: docs/math/markov_logic.md section 5.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "logic/atom_space.h"
#include "logic/rule_form.h"

namespace croft {

struct RuleJoin {
  // One atom of the clause, by the columns of a row.
  struct Place {
    std::uint64_t stride;
    std::size_t column;
  };
  struct Atom {
    std::uint32_t predicate = 0;
    bool negated = false;
    std::uint64_t first = 0;          // the key where all columns and values are 0
    std::vector<Place> columns;       // + stride * column
    std::vector<std::uint64_t> over;  // strides of variables of its own
    std::vector<std::size_t> sizes;   // of these
  };
  // A disjunction of equalities over values of its own variables.
  struct Equality {
    bool negated = false;
    std::optional<std::size_t> column[2];  // a column, or
    std::optional<std::size_t> over[2];    // a variable of `sizes`, or
    std::uint32_t constant[2] = {0, 0};
    std::vector<std::size_t> sizes;
  };

  std::string rows;                      // SQL: a row for each grounding
  std::vector<std::string> active;       // of JoinOver::active: aliases of its tables
  std::string count;                     // SQL: their number
  std::vector<std::uint32_t> variables;  // [columns] of the rule; kNoNumber: a function's value
  std::vector<Atom> atoms;
  std::vector<Equality> equalities;  // with variables of their own
  double times = 1;  // groundings of the rule for each row: the variables that it does not have
};

// Where the variables of !P(…) come from, P being open: all constants of their types, or the table
// aN of active atoms of predicate N, which has a column `since`.
enum class JoinOver { all, active };

// The rows of such a join that are new at a time: the first i of its active atoms are older, the
// next one is that old, and the others are not younger.  All i together have each new row once.
std::string rows_since(const RuleJoin& join, std::size_t i, std::int64_t time);

// Empty where SQLite cannot join that many tables.
//   clause : of form.literals; nullptr: of all groundings where the rule's functions have values
std::optional<RuleJoin> rule_join(const AtomSpace& space, const LogicRule& rule,
                                  const RuleForm& form, const LiteralClause* clause,
                                  JoinOver over = JoinOver::all);

}  // namespace croft

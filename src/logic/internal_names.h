// Names that Markov logic has of its own, and how its words begin.
#pragma once
#include <algorithm>
#include <iterator>
#include <string_view>

#include "logic/network.h"

namespace croft {

inline bool begins_lower(std::string_view word) { return word[0] >= 'a' && word[0] <= 'z'; }

// In capitals or small letters.
inline bool is_quantifier(std::string_view word, std::string_view upper) {
  return std::equal(word.begin(), word.end(), upper.begin(), upper.end(),
                    [](char c, char u) { return c == u || c == u - 'A' + 'a'; });
}

struct InternalFunction {
  std::string_view name;
  Arithmetic operation;
};
inline constexpr InternalFunction kInternalFunctions[] = {
    {"plus", Arithmetic::plus},   {"minus", Arithmetic::minus},
    {"times", Arithmetic::times}, {"dividedBy", Arithmetic::divide},
    {"mod", Arithmetic::modulo},  {"concat", Arithmetic::concatenate},
};

struct InternalPredicate {
  std::string_view name;
  FormulaKind kind;
  bool turned;  // the second term comes first
};
inline constexpr InternalPredicate kInternalPredicates[] = {
    {"lessThan", FormulaKind::less, false},
    {"greaterThan", FormulaKind::less, true},
    {"lessThanEq", FormulaKind::less_equal, false},
    {"greaterThanEq", FormulaKind::less_equal, true},
    {"substr", FormulaKind::substring, false},
    {"<", FormulaKind::less, false},
    {">", FormulaKind::less, true},
    {"<=", FormulaKind::less_equal, false},
    {">=", FormulaKind::less_equal, true},
};

template <class Row, std::size_t N>
const Row* row_of(const Row (&rows)[N], std::string_view name) {
  const auto found = std::find_if(std::begin(rows), std::end(rows),
                                  [&](const Row& row) { return row.name == name; });
  return found == std::end(rows) ? nullptr : &*found;
}

}  // namespace croft

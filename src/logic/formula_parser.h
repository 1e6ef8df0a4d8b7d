// Formulas and terms of Markov logic: docs/math/markov_logic.md section 2 has the grammar.
#pragma once
#include <string>
#include <string_view>

#include "logic/network.h"
#include "logic/token_cursor.h"

namespace croft {

// Of what a file may hold, so that a small one cannot ask for any amount of work.
struct LogicLimits {
  static constexpr std::size_t arguments = 64;     // of a predicate or a function
  static constexpr std::size_t literals = 10'000;  // of a formula
  static constexpr std::size_t nesting = 500;      // levels of a formula or a term
  static constexpr std::size_t signs = 10;         // *P in a formula: 2^10 rules
  // Literals of all rules that *P makes.
  static constexpr std::size_t signed_literals = 200'000;
};

// Reads the formula at the cursor into the rule's variables, and what it names into the network.
// Throws InputError.
//   dialect : whose signs it may have
struct ParsedFormula {
  Formula formula;
  std::size_t literals = 0;
  std::size_t signs = 0;  // *P, left open: see choose_signs()
};
ParsedFormula parse_formula(TokenCursor& at, LogicNetwork& network, LogicDialect dialect,
                            LogicRule& rule);
// One choice of the 2^signs.
//   place : of the next sign; 0 at first
void choose_signs(Formula& formula, std::size_t choice, std::size_t& place);

// A constant's name: a word, a number with its sign, or a text in quotes.
std::string parse_constant(TokenCursor& at);
// Notes a dialect's own sign; throws InputError where it is not the one that is asked for.
void meet_dialect(const TokenCursor& at, const LogicToken& token, LogicDialect whose,
                  LogicDialect asked, LogicNetwork& network);

}  // namespace croft

// A formula as clauses whose weights add up to the formula's: docs/math/markov_logic.md section 3.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "logic/network.h"

namespace croft {

// What a weight means.
enum class WeightReading : std::uint8_t {
  formula,  // it counts where the formula as written is true (ML.2)
  clausal   // it is shared out over the clauses of the clausal form (ML.3), as Alchemy does
};
std::string_view name_of(WeightReading reading);
WeightReading weight_reading(std::string_view name);  // throws UsageError that lists the names

// Conjunctions, disjunctions and equivalences of literals.  A literal is twice a number, and 1 more
// where it is negated; the numbers are whatever the caller means by them.
struct Junction {
  enum class Kind : std::uint8_t { literal, all, any, same };
  // All of nothing is true, any of nothing is false; same: the two parts are both true or both
  // false.
  Kind kind = Kind::all;
  std::uint32_t literal = 0;
  std::vector<Junction> parts = {};

  static Junction of(std::uint32_t literal) { return {.kind = Kind::literal, .literal = literal}; }
  bool is_true() const { return kind == Kind::all && parts.empty(); }
  bool is_false() const { return kind == Kind::any && parts.empty(); }
};
Junction negation_of(Junction junction);
// The conjunction or disjunction of the parts: flat, and without what is true or false.
//   kind : all or any
Junction joined(Junction::Kind kind, std::vector<Junction> parts);
// a <=> b, without what is true or false.  Linear: neither part is copied.
Junction equivalence_of(Junction a, Junction b);

using LiteralClause = std::vector<std::uint32_t>;  // increasing, each once; empty is false

// The clausal form: each clause once, none with a literal and its negation.  Empty where that takes
// more than `most` clauses, or a million literals; what is built on the way is bounded likewise.
// Throws Interrupted once `interruption` is set.
std::optional<std::vector<LiteralClause>> clauses_of(const Junction& junction, std::size_t most);
// Clauses of which at most one is false in any world, and one is where and only where one of the
// given ones is.  Empty where that takes more than `most`, or 100 times as many cuts.
std::optional<std::vector<LiteralClause>> disjoint_clauses(
    const std::vector<LiteralClause>& clauses, std::size_t most);

// w [f]  =  w base  -  sum_k w factor [clause k is false]                                  (ML.5)
struct WeightedForm {
  double base = 0, factor = 1;
  std::vector<LiteralClause> clauses;
};
// Of a formula with a weight.  Empty where it takes more than `most` clauses.
//   usable : whether a clause may be used, which is asked of each; forms with one that may not are
//            passed over
template <class Usable>
std::optional<WeightedForm> weighted_form(const Junction& formula, WeightReading reading,
                                          std::size_t most, const Usable& usable);
std::vector<WeightedForm> weighted_forms(const Junction& formula, WeightReading reading,
                                         std::size_t most);  // the best first

template <class Usable>
std::optional<WeightedForm> weighted_form(const Junction& formula, WeightReading reading,
                                          std::size_t most, const Usable& usable) {
  for (WeightedForm& form : weighted_forms(formula, reading, most)) {
    bool all = true;
    for (const LiteralClause& clause : form.clauses) all = all && usable(clause);
    if (all) return std::move(form);
  }
  return {};
}

}  // namespace croft

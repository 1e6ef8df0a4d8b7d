// From a network and an evidence to ground clauses with weights: docs/math/markov_logic.md
// sections 4 and 5.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "logic/atom_space.h"
#include "logic/clausal_form.h"
#include "logic/clause_store.h"

namespace croft {

enum class Grounding {
  full,
  lazy,       // what can matter where most atoms are false
  automatic,  // lazy for the best world, where full has more than kManyGroundings rows
};
inline constexpr double kManyGroundings = 3e6;
Grounding grounding_named(
    std::string_view name);  // auto, lazy, full; throws UsageError that lists them

struct GroundOptions {
  WeightReading reading = WeightReading::formula;
  double memory = 0;  // bytes that clauses may take; 0: no limit
  std::optional<double> seconds = {};
  // Called after each rule and now and then: rules that are done, of how many, clauses so far.
  std::function<void(std::size_t done, std::size_t rules, std::size_t clauses)> progress = {};
  std::function<bool()> go_on = {};  // asked now and then; false ends it with Interrupted
};

// A weight to learn: a rule's, for each choice of constants of its variables with +.
struct LogicUnits {
  std::vector<std::uint32_t> first;  // [rules + 1]
  std::uint32_t size() const { return first.back(); }
};
// Throws Error for more than 2^31.
LogicUnits logic_units(const AtomSpace& space);

// A rule of so many groundings that going through them would take days.
class TooManyGroundings : public Error {
 public:
  using Error::Error;
};

// Clauses that the evidence does not decide, equal ones added up.  Throws Error where a hard rule
// or an argument with ! contradicts the evidence (it names both), and where memory or time does not
// last; TooManyGroundings; Interrupted once `interruption` is set.
ClauseStore ground(const AtomSpace& space, const GroundOptions& options = {});

// What ground() goes through, before equal clauses are added up; counted by the joins.
struct GroundPrediction {
  struct Rule {
    std::uint32_t rule = 0;
    double groundings = 0;  // of the rule, whatever the evidence says
    double rows = 0;        // that ground() looks at: of clauses, or of groundings one by one
    bool by_join = true;
  };
  std::vector<Rule> rules;  // that have a weight or are hard
  double rows = 0;
  double bytes = 0;  // that the clauses take at most, where lists of quantifiers are short
};
// Throws TooManyGroundings and Interrupted as ground() does.
GroundPrediction predict_grounding(const AtomSpace& space, const GroundOptions& options = {});

}  // namespace croft

// Any bytes as a table of outcomes, and as a file of constraints: an InputError, or numbers for
// every cell, and constraints that read back equal when written again.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

#include "data/outcome_table.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_outcomes {

namespace {

void read_table(std::string_view text) {
  croft::OutcomeTable table = croft::read_outcome_table(croft::LineReader(text, "fuzz"));
  require(!table.outcomes.empty(), "a table without outcomes");
  require(table.values.size() == table.outcomes.size() * table.columns.size(), "a missing cell");
  for (const double value : table.values) require(std::isfinite(value), "no finite number");
  if (table.columns.empty()) return;
  const std::size_t outcomes = table.outcomes.size(), columns = table.columns.size();
  const std::string name = table.columns.back();
  const auto weights = croft::take_weights(name, table);
  require(weights.size() == outcomes && table.columns.size() == columns - 1, "no column taken");
  require(table.values.size() == outcomes * (columns - 1), "another column taken");
}

void read_constraints(std::string_view text) {
  croft::LineReader lines(text, "fuzz");
  for (const croft::ExpectationText& each : croft::read_expectations(lines)) {
    require(!each.feature.empty() && std::isfinite(each.bound), "half a constraint");
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", each.bound);
    const auto again =
        croft::parse_expectation(each.feature + " " + each.relation + " " + digits, {"fuzz"});
    require(again.feature == each.feature && again.relation == each.relation &&
                again.bound == each.bound,
            "not the same again");
  }
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_outcomes) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    read_table(text);
  } catch (const croft::InputError&) {
  }
  try {
    read_constraints(text);
  } catch (const croft::InputError&) {
  }
  return 0;
}

}  // namespace fuzz_outcomes

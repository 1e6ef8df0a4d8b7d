// Any bytes as a file of penalties, on cells and on attributes: an InputError with its file, or
// rules that read back equal when written again.
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "data/settings/field_files.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_penalties {

namespace {

using Test = croft::PenaltyRule::Test;

std::string test_text(const croft::PenaltyRule& rule) {
  if (rule.test == Test::always) return "*";
  if (rule.test == Test::cell) return std::to_string(rule.column) + "=" + rule.text;
  return "\\" + rule.text;
}

std::string rewritten(std::string_view text, croft::PenaltyTests tests) {
  croft::LineReader lines(text, "fuzz");
  std::string out;
  std::size_t line = 0;
  for (const croft::PenaltyRule& rule : croft::read_penalty_file(lines, tests).rules) {
    require(std::isfinite(rule.penalty), "a penalty that is not finite");
    require(!rule.label.empty(), "an empty label");
    const bool cells = tests == croft::PenaltyTests::cells;
    require(rule.test != (cells ? Test::attribute : Test::cell), "a test of the other kind");
    require(rule.line > line, "lines out of order");
    line = rule.line;
    out += test_text(rule) + "\t" + rule.label + "\t";
    char number[64];
    out.append(number, std::to_chars(number, number + sizeof number, rule.penalty).ptr);
    out += '\n';
  }
  return out;
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_penalties) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto tests : {croft::PenaltyTests::cells, croft::PenaltyTests::attributes}) {
    std::string once;
    try {
      once = rewritten(text, tests);
    } catch (const croft::InputError& error) {
      require(error.where().file == "fuzz", "an error without its file");
      continue;
    }
    require(rewritten(once, tests) == once, "not the same again");
  }
  return 0;
}

}  // namespace fuzz_penalties

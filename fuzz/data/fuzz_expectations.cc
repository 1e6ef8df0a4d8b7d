// Any bytes as a file of expectations: an InputError with its file, or rules in range that read
// back equal when written again.
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "croft/core/error.h"
#include "data/settings/field_files.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_expectations {

namespace {

croft::ExpectationFile read(std::string_view text) {
  croft::LineReader lines(text, "fuzz");
  return croft::read_expectation_file(lines);
}

std::string rewritten(const croft::ExpectationFile& file) {
  std::string out = "\n";  // at the start an attribute could be taken for a byte order mark
  std::size_t line = 0;
  for (const croft::ExpectationRule& rule : file.rules) {
    require(rule.line > line, "lines out of order");
    line = rule.line;
    require(!rule.shares.empty() && !rule.attribute.empty(), "a rule that says nothing");
    out += rule.attribute;
    double sum = 0;
    for (const croft::LabelShare& each : rule.shares) {
      require(each.share >= 0 && each.share <= 1, "a share out of range");
      const bool equal = each.relation == croft::ShareRelation::equal;
      if (equal) sum += each.share;
      char number[64];
      const char* end = std::to_chars(number, number + sizeof number, each.share).ptr;
      out += "\t" + each.label;
      out += equal ? "=" : each.relation == croft::ShareRelation::at_least ? ">=" : "<=";
      out += std::string(number, static_cast<std::size_t>(end - number));
    }
    require(sum <= 1 + 1e-9, "a distribution of more than 1");
    out += "\n";
  }
  return out;
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_expectations) {
  std::string once;
  try {
    const auto file = read({reinterpret_cast<const char*>(data), size});
    require(!file.rules.empty(), "no rule and no error");
    once = rewritten(file);
  } catch (const croft::InputError& error) {
    require(error.where().file == "fuzz", "an error without its file");
    return 0;
  }
  require(rewritten(read(once)) == once, "not the same again");
  return 0;
}

}  // namespace fuzz_expectations

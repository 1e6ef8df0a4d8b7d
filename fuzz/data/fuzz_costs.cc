// Any bytes as a file of costs: an InputError with its line, or rules that read back equal when
// written again.
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

namespace fuzz_costs {

namespace {

void append_label(const std::optional<std::string>& label, std::string& out) {
  out += label ? "\\" + *label : "*";
  out += '\t';
}

std::string rewritten(std::string_view text) {
  croft::LineReader lines(text, "fuzz");
  const croft::CostFile file = croft::read_cost_file(lines);
  std::string out;
  std::size_t line = 0;
  for (const croft::CostRule& rule : file.rules) {
    require(std::isfinite(rule.cost) && rule.cost >= 0, "a cost out of range");
    require(!rule.gold || rule.gold != rule.predicted || rule.cost == 0, "a cost of being right");
    require(rule.line > line, "lines out of order");
    line = rule.line;
    append_label(rule.gold, out);
    append_label(rule.predicted, out);
    char number[64];
    out.append(number, std::to_chars(number, number + sizeof number, rule.cost).ptr);
    out += '\n';
  }
  return out;
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_costs) {
  std::string once;
  try {
    once = rewritten({reinterpret_cast<const char*>(data), size});
  } catch (const croft::InputError& error) {
    require(error.where().file == "fuzz" && error.where().line > 0, "an error without its line");
    return 0;
  }
  require(rewritten(once) == once, "not the same again");
  return 0;
}

}  // namespace fuzz_costs

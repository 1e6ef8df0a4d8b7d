// Any bytes as a file of variances: an InputError with its file, or rules in range that read back
// equal when written again, and a variance or an error for any name.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/error.h"
#include "data/settings/field_files.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_variances {

namespace {

croft::VarianceFile read(std::string_view text) {
  croft::LineReader lines(text, "fuzz");
  return croft::read_variance_file(lines);
}

std::string rewritten(const croft::VarianceFile& file) {
  std::string out = "\n";  // at the start a pattern could be taken for a byte order mark
  std::size_t line = 0;
  for (const auto& rule : file.rules) {
    require(rule.variance >= 1e-12 && rule.variance <= 1e12, "a variance out of range");
    require(!rule.text.empty(), "an empty pattern");
    require(rule.line > line, "lines out of order");
    line = rule.line;
    char number[64];
    const char* end = std::to_chars(number, number + sizeof number, rule.variance).ptr;
    out += rule.text + "\t" + std::string(number, static_cast<std::size_t>(end - number)) + "\n";
  }
  return out;
}

// Of names that patterns fit often, and of those that they are themselves.
void ask(const croft::VarianceFile& file) {
  std::vector<std::string_view> names{"", "*", "word:the", "B"};
  for (const auto& rule : file.rules) names.push_back(rule.text);
  try {
    const std::vector<double> variances = croft::variances_of(file, names);
    require(variances.size() == names.size(), "another number of variances than of names");
    for (std::size_t k = 0; k < names.size(); ++k) {
      const auto last = std::ranges::find_if(
          file.rules.rbegin(), file.rules.rend(),
          [&](const croft::VarianceRule& rule) { return rule.pattern.matches(names[k]); });
      require(variances[k] == (last == file.rules.rend() ? 1 : last->variance),
              "not the last line's variance");
    }
  } catch (const croft::InputError& error) {
    require(error.where().file == "fuzz" && error.where().line > 0, "an error without its line");
  }
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_variances) {
  std::string once;
  try {
    const auto file = read({reinterpret_cast<const char*>(data), size});
    require(!file.rules.empty(), "no rule and no error");
    once = rewritten(file);
    ask(file);
  } catch (const croft::InputError& error) {
    require(error.where().file == "fuzz", "an error without its file");
    return 0;
  }
  require(rewritten(read(once)) == once, "not the same again");
  return 0;
}

}  // namespace fuzz_variances

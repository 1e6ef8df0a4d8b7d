#include "data/settings/variance_file.h"

#include <algorithm>

#include "core/parse_number.h"
#include "croft/core/error.h"
#include "data/settings/fields.h"

namespace croft {

double VarianceFile::variance_of(std::string_view name) const {
  for (auto rule = rules.rbegin(); rule != rules.rend(); ++rule) {
    if (rule->pattern.matches(name)) return rule->variance;
  }
  return 1;
}

VarianceFile read_variance_file(LineReader& lines) {
  VarianceFile file{.file = lines.name(), .rules = {}};
  for (std::string_view line; lines.next(line);) {
    const std::vector<std::string_view> fields = split_fields(line);
    if (fields.empty() || (fields.size() == 1 && fields[0].empty())) continue;
    if (fields.size() != 2 || fields[0].empty()) {
      throw InputError(lines.location(), "a line that is not PATTERN VARIANCE", line,
                       "write a name of features, * for any text in it, and a number above 0");
    }
    double variance = 0;
    if (parse_number(fields[1], variance) != NumberKind::finite ||
        !(variance >= 1e-12 && variance <= 1e12)) {
      throw InputError(lines.location(), "a variance that is not from 1e-12 to 1e12", fields[1],
                       "variances are relative to 1 / l2: 1 is as without this file");
    }
    file.rules.push_back({.pattern = NamePattern(fields[0]),
                          .variance = variance,
                          .text = std::string(fields[0]),
                          .line = lines.line_number()});
  }
  if (!file.rules.empty()) return file;
  throw InputError({lines.name()}, "no variance", "", "write lines PATTERN VARIANCE");
}

std::vector<double> variances_of(const VarianceFile& file,
                                 std::span<const std::string_view> names) {
  for (const VarianceFile::Rule& rule : file.rules) {
    const auto fits = [&](std::string_view name) { return rule.pattern.matches(name); };
    if (std::ranges::any_of(names, fits)) continue;
    throw InputError({file.file, rule.line}, "a pattern that fits the name of no feature",
                     rule.text,
                     "write a name as croft inspect shows it, * for any text in it, or delete the "
                     "line");
  }
  std::vector<double> variances;
  for (const std::string_view name : names) variances.push_back(file.variance_of(name));
  return variances;
}

}  // namespace croft

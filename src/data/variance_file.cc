#include "croft/data/variance_file.h"

#include "croft/core/error.h"
#include "croft/data/parse_number.h"
#include "data/fields.h"

namespace croft {

double VarianceFile::variance_of(std::string_view name) const {
  for (auto rule = rules.rbegin(); rule != rules.rend(); ++rule) {
    if (rule->pattern.matches(name)) return rule->variance;
  }
  return 1;
}

VarianceFile read_variance_file(LineReader& lines) {
  VarianceFile file;
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
    file.rules.push_back({NamePattern(fields[0]), variance});
  }
  if (!file.rules.empty()) return file;
  throw InputError({lines.name()}, "no variance", "", "write lines PATTERN VARIANCE");
}

}  // namespace croft

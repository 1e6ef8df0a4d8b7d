#include "data/settings/label_weight_file.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/parse_number.h"
#include "croft/core/error.h"

namespace croft {

LabelWeightFile read_label_weight_file(LineReader& lines) {
  LabelWeightFile file{.file = lines.name(), .entries = {}};
  std::unordered_set<std::string> seen;
  for (std::string_view line; lines.next(line);) {
    if (line.empty()) continue;
    const std::size_t tab = line.rfind('\t');
    if (tab == line.npos || tab == 0) {
      throw InputError(lines.location(), "a line that is not LABEL TAB WEIGHT", line,
                       "write a label of the data, a TAB and a number above 0");
    }
    const std::string_view label = line.substr(0, tab), number = line.substr(tab + 1);
    double weight = 0;
    if (parse_number(number, weight) != NumberKind::finite ||
        !(weight >= 1e-12 && weight <= 1e12)) {
      throw InputError(lines.location(), "a weight that is not from 1e-12 to 1e12", number,
                       "1 is as without this file, 2 as if each example of the label were there "
                       "twice");
    }
    if (!seen.emplace(label).second) {
      throw InputError(lines.location(), "a label that an earlier line names", label,
                       "delete one of the lines");
    }
    file.entries.push_back({std::string(label), weight, lines.line_number()});
  }
  if (!file.entries.empty()) return file;
  throw InputError({lines.name()}, "no weight of a label", "", "write lines LABEL TAB WEIGHT");
}

std::vector<double> weights_of(const LabelWeightFile& file,
                               std::span<const std::string_view> names) {
  std::unordered_map<std::string_view, std::size_t> number;
  for (std::size_t j = 0; j < names.size(); ++j) number.emplace(names[j], j);
  std::vector<double> weights(names.size(), 1.0);
  for (const LabelWeightFile::Entry& entry : file.entries) {
    const auto at = number.find(entry.label);
    if (at == number.end()) {
      throw InputError({file.file, entry.line}, "a label that the data does not have", entry.label,
                       "write it as the data has it, or delete the line");
    }
    weights[at->second] = entry.weight;
  }
  return weights;
}

}  // namespace croft

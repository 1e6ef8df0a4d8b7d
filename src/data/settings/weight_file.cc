#include "data/settings/weight_file.h"

#include <string_view>

#include "core/parse_number.h"

namespace croft {

std::vector<double> read_weight_file(LineReader& lines) {
  std::vector<double> weights;
  for (std::string_view line; lines.next(line);) {
    double weight = 0;
    if (parse_number(line, weight) != NumberKind::finite || !(weight > 0)) {
      throw InputError(lines.location(),
                       line.empty() ? Message("an empty line where a weight is expected")
                                    : "a weight that is not a positive finite number",
                       line, "write one number above 0 for each sequence, a line each");
    }
    weights.push_back(weight);
  }
  return weights;
}

}  // namespace croft

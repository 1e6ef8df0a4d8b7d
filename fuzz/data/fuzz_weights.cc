// Any bytes as a file of weights: an InputError with its line, or a positive number for each line.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "data/settings/field_files.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_weights {

CROFT_FUZZ_TARGET(fuzz_weights) {
  croft::LineReader lines({reinterpret_cast<const char*>(data), size}, "fuzz");
  try {
    const std::vector<double> weights = croft::read_weight_file(lines);
    require(weights.size() == lines.line_number(), "another number of weights than of lines");
    for (const double weight : weights) {
      require(std::isfinite(weight) && weight > 0, "a weight out of range");
    }
  } catch (const croft::InputError& error) {
    require(error.where().file == "fuzz" && error.where().line == lines.line_number(),
            "an error without its line");
  }
  return 0;
}

}  // namespace fuzz_weights

// Any bytes as a file of weights: an InputError with its line, or a positive number for each line.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "data/settings/field_files.h"

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
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

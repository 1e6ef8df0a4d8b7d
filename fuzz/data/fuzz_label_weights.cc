// Any bytes as a file of label weights: an InputError with its file, or weights in range that read
// back equal when written again.
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

namespace fuzz_label_weights {

namespace {

croft::LabelWeightFile read(std::string_view text) {
  croft::LineReader lines(text, "fuzz");
  return croft::read_label_weight_file(lines);
}

std::string rewritten(const croft::LabelWeightFile& file) {
  std::string out = "\n";  // at the start a label could be taken for a byte order mark
  for (const auto& entry : file.rules) {
    require(entry.weight >= 1e-12 && entry.weight <= 1e12, "a weight out of range");
    require(!entry.label.empty(), "an empty label");
    char number[64];
    const char* end = std::to_chars(number, number + sizeof number, entry.weight).ptr;
    out += entry.label + "\t" + std::string(number, static_cast<std::size_t>(end - number)) + "\n";
  }
  return out;
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_label_weights) {
  try {
    const croft::LabelWeightFile file = read({reinterpret_cast<const char*>(data), size});
    const croft::LabelWeightFile again = read(rewritten(file));
    require(again.rules.size() == file.rules.size(), "another number of labels");
    std::vector<std::string_view> names;
    for (std::size_t k = 0; k < file.rules.size(); ++k) {
      require(again.rules[k].label == file.rules[k].label, "another label");
      require(again.rules[k].weight == file.rules[k].weight, "another weight");
      names.push_back(file.rules[k].label);
    }
    require(croft::weights_of(file, names).size() == names.size(), "a weight for each");
  } catch (const croft::InputError& error) {
    require(error.where().file == "fuzz", "an error without its file");
  }
  return 0;
}

}  // namespace fuzz_label_weights

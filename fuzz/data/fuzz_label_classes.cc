// Any bytes as a file of label classes: an InputError that names the file, or labels with a class.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "data/settings/field_files.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_label_classes {

CROFT_FUZZ_TARGET(fuzz_label_classes) {
  croft::LineReader lines({reinterpret_cast<const char*>(data), size}, "fuzz");
  try {
    const croft::LabelClasses classes = croft::read_label_class_file(lines);
    require(!classes.empty() && classes.size() <= lines.line_number(), "another number of labels");
    for (const auto& [label, name] : classes) {
      require(!label.empty() && !name.empty(), "an empty name");
      require(label.find_first_of("\t\n\r") == label.npos, "a label of several fields");
    }
  } catch (const croft::InputError& error) {
    require(error.where().file == "fuzz", "an error without its file");
  }
  return 0;
}

}  // namespace fuzz_label_classes

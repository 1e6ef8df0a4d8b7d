// Any bytes as a file of a code: an InputError that names the file, or words of one length.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "data/settings/field_files.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_code {

CROFT_FUZZ_TARGET(fuzz_code) {
  croft::LineReader lines({reinterpret_cast<const char*>(data), size}, "fuzz");
  try {
    const auto words = croft::read_code_file(lines);
    require(!words.empty() && words.size() <= lines.line_number(), "another number of labels");
    for (const auto& [label, word] : words) {
      require(!label.empty(), "an empty label");
      require(word.size() == words.front().second.size(), "words of two lengths");
      require(word.find_first_not_of("01-") == word.npos, "a word of other bits");
    }
  } catch (const croft::InputError& error) {
    require(error.where().file == "fuzz", "an error without its file");
  }
  return 0;
}

}  // namespace fuzz_code

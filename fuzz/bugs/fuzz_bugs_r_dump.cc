// Any bytes as a dump of R, and as JSON: an InputError, or arrays whose sizes fit their values.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "bugs/language/array_files.h"
#include "support/target.h"

namespace fuzz_bugs_r_dump {

namespace {

// Ranges are as long as their numbers say.
bool may_be_large(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) {
    digits = (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' ? digits + 1 : 0;
    if (digits == 5) return true;
  }
  return false;
}

void require_whole(const croft::bugs::ArrayFile& file) {
  for (const croft::bugs::Arrays& set : file.sets) {
    for (const auto& [name, array] : set) {
      std::size_t values = 1;
      for (const std::size_t each : array.dimensions) values *= each;
      if (array.dimensions.empty() || values != array.values.size()) {
        throw std::logic_error("sizes that do not fit the values of " + name);
      }
    }
  }
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_bugs_r_dump) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size > 4096 || may_be_large(text)) return 0;
  try {
    require_whole(croft::bugs::read_r_dump(croft::LineReader(text, "fuzz.R")));
  } catch (const croft::InputError& error) {
    if (error.where().line == 0) throw std::logic_error("a fault without a line");
  }
  try {
    require_whole(croft::bugs::read_json_arrays(croft::LineReader(text, "fuzz.json")));
  } catch (const croft::InputError&) {
  }
  return 0;
}

}  // namespace fuzz_bugs_r_dump

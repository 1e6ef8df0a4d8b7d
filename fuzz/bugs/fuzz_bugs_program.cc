// Any bytes as a BUGS program: an InputError with a line, or a tree whose text is the same tree.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bugs/language/program_parser.h"
#include "bugs/language/program_writer.h"
#include "support/target.h"

namespace fuzz_bugs_program {

CROFT_FUZZ_TARGET(fuzz_bugs_program) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string once;
  try {
    once = text_of(croft::bugs::parse_program(croft::LineReader(text, "fuzz")));
  } catch (const croft::InputError& error) {
    if (error.where().line == 0) throw std::logic_error("a fault without a line");
    return 0;
  }
  if (text_of(croft::bugs::parse_program(croft::LineReader(once, "again"))) != once) {
    throw std::logic_error("not the same again");
  }
  return 0;
}

}  // namespace fuzz_bugs_program

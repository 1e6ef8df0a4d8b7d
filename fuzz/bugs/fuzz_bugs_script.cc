// Any bytes as a script of JAGS: an InputError, or a whole question.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "bugs/language/script.h"
#include "support/target.h"

namespace fuzz_bugs_script {

CROFT_FUZZ_TARGET(fuzz_bugs_script) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const croft::bugs::Script script =
        croft::bugs::parse_script(croft::LineReader(text, "fuzz.cmd"));
    if (script.options.chains == 0 || script.options.samples == 0 ||
        script.options.monitors.empty()) {
      throw std::logic_error("half a question");
    }
  } catch (const croft::InputError&) {
  }
  return 0;
}

}  // namespace fuzz_bugs_script

// Any bytes as the state of a search: an Error, or scores that read back equal.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "app/search/search_state.h"
#include "croft/core/error.h"
#include "support/target.h"

namespace fuzz_search_state {

CROFT_FUZZ_TARGET(fuzz_search_state) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const croft::SearchScores scores = croft::parse_search_state(text, "fuzz", "ab");
    const std::string written = croft::search_state_text(scores, "ab");
    if (croft::parse_search_state(written, "fuzz", "ab") != scores) {
      throw std::logic_error("scores are others when they are read again");
    }
  } catch (const croft::Error&) {
  }
  return 0;
}

}  // namespace fuzz_search_state

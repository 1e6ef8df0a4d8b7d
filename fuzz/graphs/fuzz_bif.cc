// Any bytes as a graph in format bif: an InputError, or a graph that is the same when written
// again, as BIF too.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "croft/core/error.h"
#include "croft/data/graph_file.h"
#include "support/graph_again.h"
#include "support/target.h"

namespace fuzz_bif {

CROFT_FUZZ_TARGET(fuzz_bif) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const croft::GraphFile file = croft::read_bif(croft::LineReader(text, "fuzz"));
    require_whole(file);
    if (!is_small(file.graph)) return 0;
    const std::string written = croft::write_bif(file);
    const auto again = croft::read_bif(croft::LineReader(written, "again"));
    require(again.names.variables == file.names.variables, "other names");
    require(again.names.states == file.names.states, "other states");
  } catch (const croft::InputError&) {
  }
  return 0;
}

}  // namespace fuzz_bif

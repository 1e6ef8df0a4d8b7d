// Any bytes as a graph in format fg: an InputError, or a graph that is the same when written again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "croft/core/error.h"
#include "croft/data/graph_file.h"
#include "support/graph_again.h"
#include "support/target.h"

namespace fuzz_libdai_graph {

CROFT_FUZZ_TARGET(fuzz_libdai_graph) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    require_whole(croft::read_fg(croft::LineReader(text, "fuzz")));
  } catch (const croft::InputError&) {
  }
  return 0;
}

}  // namespace fuzz_libdai_graph

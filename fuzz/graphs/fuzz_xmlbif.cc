// Any bytes as a graph in format xmlbif: an InputError, or a graph that is the same when written
// again, as BIF too where BIF has what is in it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "croft/core/error.h"
#include "croft/data/graph_file.h"
#include "support/graph_again.h"
#include "support/target.h"

namespace fuzz_xmlbif {

CROFT_FUZZ_TARGET(fuzz_xmlbif) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    require_network(croft::read_xmlbif(croft::LineReader(text, "fuzz")));
  } catch (const croft::InputError&) {
  }
  return 0;
}

}  // namespace fuzz_xmlbif

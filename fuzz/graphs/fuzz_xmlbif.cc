// Any bytes as a graph in format xmlbif: an InputError, or a graph that is the same when written
// again, as BIF too where BIF has what is in it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "croft/core/error.h"
#include "croft/data/graph_file.h"
#include "support/graph_again.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    require_network(croft::read_xmlbif(croft::LineReader(text, "fuzz")));
  } catch (const croft::InputError&) {
  }
  return 0;
}

// Any bytes as a table of states of a small network: an InputError, or rows of states that it has.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "croft/core/error.h"
#include "data/settings/state_rows.h"
#include "support/target.h"

namespace fuzz_state_rows {

CROFT_FUZZ_TARGET(fuzz_state_rows) {
  if (size == 0) return 0;
  croft::GraphFile net;
  net.graph.add_variable(2);
  net.graph.add_variable(3);
  net.directed = true;
  if ((data[0] & 1) != 0) net.names = {{"a", "b c"}, {{"yes", "no"}, {"x", "y", " z"}}};
  croft::StateRowsOptions options;
  options.delimiter = (data[0] & 2) != 0 ? ';' : ',';
  if ((data[0] & 4) != 0) options.missing = {"?"};
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    std::size_t seen = 0;
    const std::size_t rows = croft::read_state_rows(
        croft::LineReader(text, "fuzz"), net, options, [&](std::span<const croft::State> row) {
          ++seen;
          if (row.size() != 2) throw std::logic_error("a row that is not the network's");
          for (croft::Variable v = 0; v < 2; ++v) {
            if (row[v] != croft::kUnobserved && row[v] >= net.graph.states(v)) {
              throw std::logic_error("a state that there is not");
            }
          }
        });
    if (rows != seen || rows == 0) throw std::logic_error("not as many rows as were seen");
  } catch (const croft::InputError&) {
  }
  return 0;
}

}  // namespace fuzz_state_rows

// Any bytes as a table of cases from which a network is learnt: an InputError, or rows of states
// that its columns have.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "croft/core/error.h"
#include "data/settings/state_table.h"
#include "support/target.h"

namespace fuzz_state_table {

CROFT_FUZZ_TARGET(fuzz_state_table) {
  if (size == 0) return 0;
  croft::StateRowsOptions options;
  options.delimiter = (data[0] & 1) != 0 ? ';' : ',';
  if ((data[0] & 2) != 0) options.missing = {"?"};
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    croft::StateTableReader reader(options);
    reader.read(croft::LineReader(text, "fuzz"));
    if ((data[0] & 4) != 0) reader.read(croft::LineReader(text, "once more"));
    const croft::StateTable table = std::move(reader).table();
    const croft::GraphFile net = table.unconnected();
    for (const auto& row : table.rows) {
      if (row.size() != net.graph.variables()) throw std::logic_error("a row of another length");
      for (croft::Variable v = 0; v < row.size(); ++v) {
        if (row[v] != croft::kUnobserved && row[v] >= net.graph.states(v)) {
          throw std::logic_error("a state that there is not");
        }
      }
    }
  } catch (const croft::InputError&) {
  }
  return 0;
}

}  // namespace fuzz_state_table

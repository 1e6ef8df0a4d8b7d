// Any bytes as the declaration of a graph: an InputError that names the file, or a spec whose
// record gives the same record again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "core/json.h"
#include "croft/core/error.h"
#include "sql/graph_spec.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_graph_spec {

CROFT_FUZZ_TARGET(fuzz_graph_spec) {
  try {
    const croft::GraphSpec spec =
        croft::GraphSpec::parse({reinterpret_cast<const char*>(data), size}, "fuzz");
    require(!spec.variables.empty() && !spec.templates.empty(), "nothing in it");
    for (const croft::TemplateSpec& each : spec.templates) {
      require(!each.name.empty() && !each.variables.empty() && !each.query.text.empty(),
              "a template without a name, variables or a query");
      require(each.cells.empty() == (each.interaction != croft::InteractionKind::listed),
              "cells of another interaction");
      const bool counts = croft::counts_variables(each.interaction);
      require(each.states.size() == (counts ? each.variables.size() : 0),
              "states that count, of another interaction");
      require(each.lists.empty() || (counts && each.lists.size() == each.variables.size()),
              "lists of variables, of another interaction");
      require(!each.penalty || (*each.penalty > 0 && !each.bias && !each.has_given_weights()),
              "a penalty beside weights");
      require(each.interaction != croft::InteractionKind::known || each.penalty,
              "a known value without a penalty");
    }
    // Densities are fitted to data, and a record has them.
    if (std::ranges::any_of(spec.templates, [](const auto& t) { return t.mixture.has_value(); })) {
      return 0;
    }
    const croft::Json record = croft::to_json(spec);
    const croft::GraphSpec again = croft::graph_spec_from(record, "fuzz");
    croft::Json second = croft::to_json(again);
    for (croft::Json& each : second["templates"]) each.erase("columns");
    require(second == record, "not the same again");
    croft::with_queries_of(again, spec);
  } catch (const croft::InputError& error) {
    require(error.where().file == "fuzz", "an error without its file");
  }
  return 0;
}

}  // namespace fuzz_graph_spec

#include "sql/explain_graph.h"

#include <algorithm>

#include "app/explain/explain_labels.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "sql/row_ids.h"

namespace croft {
namespace {

// The variable of "ID" or "DOMAIN:ID".
std::uint32_t variable_named(const GraphTables& tables, const std::string& name) {
  const std::vector<Domain>& domains = tables.schema().domains;
  std::vector<std::uint32_t> found;
  std::string places;
  const auto look = [&](std::uint32_t domain, std::string_view id) {
    const std::uint32_t v = tables.variables().find(domain, row_id(id));
    if (v == kUnknown) return;
    found.push_back(v);
    places += (places.empty() ? "" : ", ") + domains[domain].name + ":" + std::string(id);
  };
  for (std::uint32_t d = 0; d < domains.size(); ++d) {
    look(d, name);
    if (name.starts_with(domains[d].name + ":")) {
      look(d, std::string_view(name).substr(domains[d].name.size() + 1));
    }
  }
  if (found.empty()) throw UsageError("--variable: no variable has the id ", in_quotes(name));
  if (found.size() == 1) return found[0];
  throw UsageError("--variable ", name, ": several variables are called so; name one of ", places);
}

std::vector<std::uint32_t> variables_to_explain(const GraphTables& tables,
                                                const std::vector<std::string>& names) {
  std::vector<std::uint32_t> out;
  for (const std::string& each : names) out.push_back(variable_named(tables, each));
  for (std::uint32_t v = 0; names.empty() && v < tables.data().variables(); ++v) {
    if (tables.data().known(v) == kUnobserved) out.push_back(v);
  }
  std::ranges::sort(out);
  const auto same = std::ranges::unique(out);
  out.erase(same.begin(), same.end());
  return out;
}

Json id_json(const RowId& id) { return id.is_text ? Json(std::string(id.text)) : Json(id.number); }

}  // namespace

GraphLabels explain_graph(const GraphModel& model, GraphTables& tables,
                          const GraphLabelOptions& options, const GraphExplainRequest& request,
                          const std::function<void(const View&)>& write) {
  const std::vector<Domain>& domains = model.schema().domains;
  ExplainLabels explain;
  explain.variables = variables_to_explain(tables, request.variables);
  explain.all = request.variables.empty();
  explain.against = request.against;
  explain.top = request.top;
  explain.name = [&](std::uint32_t v) {
    const std::string id = tables.variables().id(v);
    return domains.size() == 1 ? id : domains[tables.data().domain(v)].name + ":" + id;
  };
  explain.id = [&](std::uint32_t v) { return id_json(tables.variables().row_id(v)); };
  return explain_labels(model, tables.data(), options, explain, write);
}

}  // namespace croft

#include "sql/explain_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/explain/explain_graph.h"
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

// Of a label, for each domain; none where it is not one of the domain's.
std::vector<std::optional<State>> states_of(const CliqueSchema& schema, const std::string& label) {
  std::vector<std::optional<State>> out;
  bool any = label.empty();
  for (const Domain& each : schema.domains) {
    const auto at = std::ranges::find(each.labels, label);
    auto& state = out.emplace_back();
    if (label.empty() || at == each.labels.end()) continue;
    state = static_cast<State>(at - each.labels.begin());
    any = true;
  }
  if (!any) throw UsageError("--against: no variable can have the label ", in_quotes(label));
  return out;
}

// Where a variable of the data is among the instances.
struct Place {
  std::uint32_t instance = 0;
  Variable variable = 0;
};

std::vector<Place> places_of(std::span<const GraphInstance> instances, std::size_t variables) {
  std::vector<Place> out(variables);
  for (std::uint32_t n = 0; n < instances.size(); ++n) {
    for (Variable k = 0; k < instances[n].variable.size(); ++k) {
      out[instances[n].variable[k]] = {n, k};
    }
  }
  return out;
}

Json id_json(const RowId& id) { return id.is_text ? Json(std::string(id.text)) : Json(id.number); }

}  // namespace

GraphLabels explain_graph(const GraphModel& model, GraphTables& tables,
                          const GraphLabelOptions& asked, const GraphExplainRequest& request,
                          const std::function<void(const View&)>& write) {
  const CliqueSchema& schema = model.schema();
  const std::vector<std::optional<State>> against = states_of(schema, request.against);
  const std::vector<std::uint32_t> wanted = variables_to_explain(tables, request.variables);
  GraphLabelOptions options = asked;
  options.keep_marginals = options.keep_instances = true;
  GraphLabels labels = label_graph(model, tables.data(), options);
  const std::vector<Place> place = places_of(labels.instances, tables.data().variables());
  ExplainOptions explain{.top = request.top};
  const auto name_of = [&](std::uint32_t v) {
    const std::string id = tables.variables().id(v);
    if (schema.domains.size() == 1) return id;
    return schema.domains[tables.data().domain(v)].name + ":" + id;
  };
  std::vector<State> of_instance;
  std::optional<GraphExplainer> explainer;
  std::optional<std::uint32_t> at;
  for (const std::uint32_t v : wanted) {
    const auto [n, k] = place[v];
    const GraphInstance& instance = labels.instances[n];
    if (at != n) {
      of_instance.clear();
      for (const std::uint32_t u : instance.variable) of_instance.push_back(labels.label[u]);
      explainer.emplace(model, tables.data(), instance, of_instance);
      at = n;
    }
    const std::uint32_t domain = tables.data().domain(v);
    if (!request.against.empty() && !against[domain]) {
      if (request.variables.empty()) continue;  // a variable of another domain
      throw UsageError("--against: ", name_of(v), " cannot have the label ",
                       in_quotes(request.against));
    }
    explain.against = against[domain];
    const ExplainedVariable one = explainer->explain(k, labels.marginals_of(v), explain);
    View view = explainer->shown(one, [&](Variable u) { return name_of(instance.variable[u]); });
    Json document = {{"domain", schema.domains[domain].name},
                     {"instance", std::string(tables.data().group_name(v))},
                     {"id", id_json(tables.variables().row_id(v))}};
    document.update(view.json);
    view.json = std::move(document);
    const std::string group = escaped(tables.data().group_name(v));
    view.text = fmt::format("{}{}\n{}\n", escaped(name_of(v)),
                            group.empty() ? "" : "  of instance " + group, view.text);
    write(view);
  }
  return labels;
}

}  // namespace croft

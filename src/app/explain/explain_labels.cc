#include "app/explain/explain_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/explain/explain_graph.h"
#include "croft/core/error.h"

namespace croft {
namespace {

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

}  // namespace

GraphLabels explain_labels(const GraphModel& model, CliqueData& data,
                           const GraphLabelOptions& asked, const ExplainLabels& request,
                           const std::function<void(const View&)>& write) {
  const CliqueSchema& schema = model.schema();
  const std::vector<std::optional<State>> against = states_of(schema, request.against);
  GraphLabelOptions options = asked;
  options.keep_marginals = options.keep_instances = true;
  GraphLabels labels = label_graph(model, data, options);
  const std::vector<Place> place = places_of(labels.instances, data.variables());
  ExplainOptions explain{.top = request.top};
  std::vector<State> of_instance;
  std::optional<GraphExplainer> explainer;
  std::optional<std::uint32_t> at;
  for (const std::uint32_t v : request.variables) {
    const auto [n, k] = place[v];
    const GraphInstance& instance = labels.instances[n];
    if (at != n) {
      of_instance.clear();
      for (const std::uint32_t u : instance.variable) of_instance.push_back(labels.label[u]);
      explainer.emplace(model, data, instance, of_instance);
      at = n;
    }
    const std::uint32_t domain = data.domain(v);
    if (!request.against.empty() && !against[domain]) {
      if (request.all) continue;  // a variable of another domain
      throw UsageError("--against: ", request.name(v), " cannot have the label ",
                       in_quotes(request.against));
    }
    explain.against = against[domain];
    const ExplainedVariable one = explainer->explain(k, labels.marginals_of(v), explain);
    View view =
        explainer->shown(one, [&](Variable u) { return request.name(instance.variable[u]); });
    Json document = {{"domain", schema.domains[domain].name},
                     {"instance", std::string(data.group_name(v))},
                     {"id", request.id(v)}};
    document.update(view.json);
    view.json = std::move(document);
    const std::string group = escaped(data.group_name(v));
    view.text = fmt::format("{}{}\n{}\n", escaped(request.name(v)),
                            group.empty() ? "" : "  of instance " + group, view.text);
    write(view);
  }
  return labels;
}

}  // namespace croft

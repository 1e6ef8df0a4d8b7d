// Graphs of tables and of logic: what is around a variable.
#include <algorithm>
#include <array>
#include <cctype>

#include "app/explain/labelled_graph.h"
#include "serve/endpoints.h"

namespace croft::serve {
namespace {

bool has_labelled_graph(const ServedModel& model) { return model.graph != nullptr; }

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

Json names_with(const LabelledGraph& graph, const std::string& part, std::size_t most) {
  Json names = Json::array();
  const std::string wanted = lower(part);
  for (std::size_t v = 0; v < graph.variables() && names.size() < most; ++v) {
    std::string name = graph.name(v);
    if (lower(name).find(wanted) != std::string::npos) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

std::span<const RequestField> neighbourhood_fields() {
  static const auto kFields = std::to_array<RequestField>({
      {"model", FieldType::text, "Its name; needed where there are several"},
      {"variable", FieldType::text,
       "An id, DOMAIN:ID where there are several domains, or an atom; without: that with the most "
       "cliques"},
      {"distance", FieldType::whole, "So many cliques away, 1 where nothing is said", 1, 5},
      {"most", FieldType::whole, "So many variables at most, 40 where nothing is said", 1, 200},
      {"names", FieldType::text, "Instead: the names of variables that have this in them"},
  });
  return kFields;
}

HttpReply neighbourhood(const Call& call) {
  const ModelPointer served = model_of(call, call.body.value("model", std::string()),
                                       has_labelled_graph, "model of a graph or of logic");
  const LabelledGraph& graph = *served->graph;
  Json out = {{"model", served->name}, {"version", served->version}};
  const std::size_t most = call.body.value("most", std::size_t{40});
  if (const Json* const part = call.body.get_if("names")) {
    out["names"] = names_with(graph, part->string(), most);
    return json_reply(out);
  }
  if (graph.variables() == 0) throw RequestError(404, "nothing is left open: there is no variable");
  const std::string name = call.body.value("variable", graph.name(graph.busiest()));
  const std::optional<std::size_t> found = graph.find(name);
  if (!found) throw RequestError(404, "there is no variable " + in_quotes(name));
  const std::size_t distance = call.body.value("distance", std::size_t{1});
  out.update(to_json(graph.around(*found, distance, most)));
  call.parts.metrics.add_answers(served->name, 1);
  return json_reply(out);
}

}  // namespace croft::serve

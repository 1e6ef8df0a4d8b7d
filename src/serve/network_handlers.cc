// Networks and factor graphs: what is probable, given what is observed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <new>

#include "app/infer/decide.h"
#include "app/infer/graph_view.h"
#include "app/infer/layered_layout.h"
#include "app/infer/stress_layout.h"
#include "croft/app/infer.h"
#include "serve/endpoints.h"

namespace croft::serve {
namespace {

bool is_graph(const ServedModel& model) { return model.network != nullptr; }
constexpr std::string_view kWhat = "network or factor graph";

struct Known {
  Evidence states;
  std::vector<SoftFinding> soft;
};

std::vector<double> likelihoods_of(const Json& value, const std::string& name, State states) {
  if (value.size() != states) {
    throw RequestError(400,
                       fmt::format("\"observe\": {} has {} states, and there are {} likelihoods",
                                   in_quotes(name), states, value.size()));
  }
  auto likelihoods = value.get<std::vector<double>>();
  if (std::ranges::min(likelihoods) < 0 || std::ranges::max(likelihoods) == 0) {
    throw RequestError(400, "\"observe\": the likelihoods of " + in_quotes(name) +
                                " must be 0 or more, and one of them above 0");
  }
  return likelihoods;
}

Known read_observed(const Json& body, const GraphFile& file) {
  Known known{Evidence(file.graph.variables(), kUnobserved), {}};
  const Json* const observed = body.get_if("observe");
  if (observed == nullptr) return known;
  for (const auto& [name, value] : observed->items()) {
    const Variable v = find_variable(file, name);
    if (value.is_string()) {
      const auto state = find_state(file, v, value.string());
      if (!state) {
        throw RequestError(400, "\"observe\": variable " + in_quotes(name) + " has no state " +
                                    in_quotes(value.string()));
      }
      known.states[v] = *state;
      continue;
    }
    known.soft.push_back({v, likelihoods_of(value, name, file.graph.states(v))});
  }
  return known;
}

bool looks_at_memory(std::string_view method) {
  const auto methods = infer_methods();
  const auto found = std::ranges::find(methods, method, &InferMethod::name);
  return found == methods.end() || found->uses.memory;  // auto is not in the table
}

InferRequest read_request(const Call& call, const GraphFile& file) {
  const Json& body = call.body;
  InferRequest request;
  request.task = graph_task(body.value("task", std::string("marginals")));
  request.method = body.value("method", std::string("auto"));
  if (looks_at_memory(request.method)) request.memory = call.parts.limits.infer_memory;
  request.seed = body.value("seed", std::uint64_t{1});
  const auto read = [&]<class T>(const char* name, std::optional<T>& out) {
    if (const Json* const found = body.get_if(name)) out = found->get<T>();
  };
  read("tolerance", request.tolerance);
  read("max_iterations", request.max_iterations);
  read("samples", request.samples);
  read("k_best", request.k_best);
  if (const Json* const over = body.get_if("over")) {
    for (const Json& name : *over) request.over.push_back(find_variable(file, name.string()));
  }
  if (const Json* const settings = body.get_if("settings")) {
    for (const auto& [name, value] : settings->items()) {
      request.settings.emplace_back(name, value.string());
    }
  }
  if (request.task == GraphTask::marginal_map && request.over.empty()) {
    throw RequestError(400, "\"over\": marginal-map needs the variables that it is about");
  }
  return request;
}

Json answer(const Call& call, const GraphFile& file, const Known& known) {
  check_decided(file, known.states);
  const InferRequest request = read_request(call, file);
  bool late = false;
  InferCalls calls;
  calls.progress = [&](const GraphProgress&) {
    late = late || std::chrono::steady_clock::now() > call.deadline;
    return !late;
  };
  const InferResult result = [&] {
    try {
      return croft::infer(with_findings(file.graph, known.soft), known.states, request, calls);
    } catch (const std::bad_alloc&) {
      throw RequestError(422, "out of memory: another method may take less");
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {  // nothing is wrong with the request: it takes too much, say
      if (late) throw RequestError(422, "the question takes longer than this server allows");
      throw RequestError(422, in_members(error));
    }
  }();
  if (late) throw RequestError(422, "the question takes longer than this server allows");
  return to_json(result, file);
}

// As far from each other as in the graph; none for graphs that no one could read.
std::vector<GraphPlace> spread_out(const FactorGraph& graph) {
  constexpr std::size_t kMost = 300;
  constexpr double kStep = 230;  // between neighbours
  std::vector<GraphPlace> places;
  if (graph.variables() > kMost) return places;
  LayoutEdges edges;
  for (std::size_t f = 0; f < graph.factors(); ++f) {
    const auto scope = graph.scope(f);
    for (std::size_t k = 1; k < scope.size(); ++k) {
      for (std::size_t j = 0; j < k; ++j) edges.emplace_back(scope[j], scope[k]);
    }
  }
  for (const Point& each : graph_layout(graph.variables(), edges, false)) {
    places.push_back({kStep * each.x, kStep * each.y});
  }
  return places;
}

// The places of variables: those of the file; of a directed graph in layers.
std::vector<GraphPlace> places_of(const GraphFile& file) {
  if (!file.places.empty()) return file.places;
  if (!file.directed) return spread_out(file.graph);
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t f = 0; f < file.graph.factors(); ++f) {
    const auto scope = file.graph.scope(f);
    for (std::size_t k = 0; k + 1 < scope.size(); ++k) edges.emplace_back(scope[k], scope.back());
  }
  const std::vector<double> widths(file.graph.variables(), 180);
  const LayeredLayout layout = layered_layout(edges, widths, 30, 160);
  std::vector<GraphPlace> places;
  for (const LayoutPoint& each : layout.node) places.push_back({each.x, each.y});
  return places;
}

}  // namespace

std::span<const RequestField> infer_fields() {
  static const auto kFields = std::to_array<RequestField>({
      {"model", FieldType::text, "Its name; needed where there are several"},
      {"observe", FieldType::observed,
       "What is known: a state for a variable, or the likelihood of each of its states"},
      {"task",
       FieldType::text,
       "What is asked; marginals where nothing is said",
       0,
       0,
       {"partition", "marginals", "map", "marginal-map", "sample"}},
      {"method", FieldType::text, "As croft infer --method; auto where nothing is said"},
      {"tolerance", FieldType::number, "Of iterations: end at a change below this"},
      {"max_iterations", FieldType::whole, "Of iterations: end after so many", 1},
      {"samples", FieldType::whole, "Of the task sample", 1, 1000},
      {"seed", FieldType::whole, "Of whatever is drawn"},
      {"k_best", FieldType::whole, "So many of the best assignments", 1, 100},
      {"over", FieldType::texts, "Of marginal-map: the variables that it is about"},
      {"settings", FieldType::settings, "Of the method, as croft infer --set"},
      {"independent", FieldType::text,
       "\"A;B|C\": instead, whether A is independent of B given C and what is observed"},
      {"blanket", FieldType::text, "Instead, the Markov blanket of this variable"},
  });
  return kFields;
}

HttpReply infer(const Call& call) {
  const ModelPointer served =
      model_of(call, call.body.value("model", std::string()), is_graph, kWhat);
  const GraphFile& file = *served->network;
  const Known known = read_observed(call.body, file);
  Json out = {{"model", served->name}, {"version", served->version}};
  if (const Json* const question = call.body.get_if("independent")) {
    out["result"] = to_json(ask_independence(file, question->string(), known.states), file);
  } else if (const Json* const of = call.body.get_if("blanket")) {
    Json names = Json::array();
    for (const Variable v : markov_blanket(file, find_variable(file, of->string()))) {
      names.push_back(variable_name(file.names, v));
    }
    out["result"] = Json{{"variable", of->string()}, {"markov_blanket", names}};
  } else {
    out["result"] = answer(call, file, known);
  }
  call.parts.metrics.add_answers(served->name, 1);
  return json_reply(out);
}

HttpReply network(const Call& call) {
  const ModelPointer served =
      model_of(call, call.body.value("model", std::string()), is_graph, kWhat);
  const GraphFile& file = *served->network;
  const std::vector<GraphPlace> places = places_of(file);
  Json variables = Json::array();
  for (Variable v = 0; v < file.graph.variables(); ++v) {
    Json states = Json::array();
    for (State s = 0; s < file.graph.states(v); ++s) states.push_back(state_name(file.names, v, s));
    Json one = {{"name", variable_name(file.names, v)}, {"states", states}};
    if (v < places.size()) {
      one["x"] = places[v].x;
      one["y"] = places[v].y;
    }
    variables.push_back(one);
  }
  Json factors = Json::array();
  for (std::size_t f = 0; f < file.graph.factors(); ++f) {
    Json scope = Json::array();
    for (const Variable v : file.graph.scope(f)) scope.push_back(std::uint64_t{v});
    factors.push_back(scope);
  }
  return json_reply({{"model", served->name},
                     {"version", served->version},
                     {"directed", file.directed},
                     {"variables", variables},
                     {"factors", factors}});
}

}  // namespace croft::serve

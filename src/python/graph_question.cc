#include "python/graph_question.h"

#include <pybind11/stl.h>

#include <cmath>

#include "app/evaluate/calibrate_graph.h"
#include "app/evaluate/evaluate_graph.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "python/bind.h"
#include "python/options.h"
#include "python/training_watch.h"

namespace croft::python {
namespace {

namespace py = pybind11;

template <class T>
void read(const py::dict& from, const char* key, T& value) {
  if (from.contains(key) && !from[key].is_none()) value = from[key].cast<T>();
}

ChoiceRequest decision_of(const py::dict& how) {
  ChoiceRequest decision;
  std::vector<std::tuple<std::string, std::string, double>> costs;
  read(how, "costs", costs);
  if (!costs.empty()) decision.costs = CostFile{"costs", {}};
  for (const auto& [gold, predicted, cost] : costs) {
    if (!(std::isfinite(cost) && cost >= 0)) {
      throw UsageError("a cost is ", std::to_string(cost),
                       "; it must be a finite number of 0 or more");
    }
    decision.costs->rules.push_back({gold, predicted, cost, decision.costs->rules.size() + 1});
  }
  read(how, "thresholds", decision.thresholds);
  return decision;
}

void see_signals(std::size_t /*done*/) {
  const py::gil_scoped_acquire lock;
  check_signals();
}

}  // namespace

GraphQuestion::GraphQuestion(const py::dict& how, const CliqueSchema& schema)
    : decision(decision_of(how)) {
  read(how, "method", options.method);
  read(how, "search", options.search);
  read(how, "max_iterations", options.max_iterations);
  read(how, "memory", options.memory);
  read(how, "seed", options.seed);
  read(how, "threads", options.threads);
  std::string decode = "best";
  read(how, "decode", decode);
  if (decode != "best" && decode != "marginal") {
    throw UsageError("decode is ", in_quotes(decode), R"(; it is "best" or "marginal")");
  }
  if (decode == "marginal") options.decode = GraphDecode::marginal;
  options.decide(decision, schema);
}

GraphLabels answer(const GraphModel& model, CliqueData& data, const GraphQuestion& question) {
  const py::gil_scoped_release release;
  return label_graph(model, data, question.options, see_signals);
}

std::string evaluate_json(const GraphModel& model, CliqueData& data, const GoldLabels& gold,
                          const GraphQuestion& question, const GraphEvaluationRequest& asked) {
  GraphLabelOptions options = question.options;
  options.keep_marginals = true;
  EvaluateRequest request;
  request.ranking = asked.ranking;
  request.report.confusion = asked.confusion;
  request.report.costs = question.decision.costs;
  const py::gil_scoped_release release;
  const GraphLabels labels = asked.by_the_others
                                 ? label_given_others(model, data, gold, options, see_signals)
                                 : label_graph(model, data, options, see_signals);
  return to_json(evaluate_graph(data, gold, labels, request)).dump(-1, InvalidUtf8::replace);
}

py::tuple calibrated(const GraphModel& model, CliqueData& data, const GoldLabels& gold,
                     const GraphQuestion& question) {
  const GraphLabelOptions& o = question.options;
  const auto [bytes, report] = [&] {
    const py::gil_scoped_release release;
    CalibratedGraph found = calibrate_graph(
        model, data, gold, {.memory = o.memory, .threads = o.threads, .seed = o.seed}, "the model");
    Json said = calibration_json(found.report);
    said["temperature"] = found.report.calibrator.temperature;
    said["warnings"] = Json::array();
    for (const std::string& each : found.report.warnings) {
      said["warnings"].push_back(in_python(in_python(each, "method"), "memory"));
    }
    return std::pair(found.model.bytes(), said.dump());
  }();
  return py::make_tuple(
      std::make_shared<PythonGraphModel>(Container::from_bytes(bytes, "the model")), report);
}

}  // namespace croft::python

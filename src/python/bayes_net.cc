// Bayesian networks: tables from cases, by counting and by EM.  A network is a text in BIF here.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <cmath>

#include "app/infer/network_cases.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/data/graph_file.h"
#include "python/bind.h"
#include "python/options.h"
#include "python/training_watch.h"

namespace croft::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

using Rows = std::vector<std::vector<std::int64_t>>;  // states; below 0: missing

GraphFile read_net(const std::string& text) {
  return read_graph(LineReader(text, "the network"), GraphFormat::bif);
}

// All rows of its tables uniform.
std::string uniform(const std::vector<std::string>& names,
                    const std::vector<std::vector<std::string>>& states,
                    const std::vector<std::vector<Variable>>& parents) {
  bool fits = states.size() == names.size() && parents.size() == names.size();
  for (const auto& each : parents) {
    for (const Variable v : each) fits = fits && v < names.size();
  }
  if (!fits) throw UsageError("a network needs names, states and parents of each variable");
  GraphFile net;
  net.directed = true;
  net.names = {names, states};
  for (const auto& each : states) net.graph.add_variable(each.size());
  for (Variable v = 0; v < parents.size(); ++v) {
    std::vector<Variable> scope = parents[v];
    scope.push_back(v);
    double joint = 1;
    for (const Variable each : scope) joint *= static_cast<double>(states[each].size());
    if (joint > 1e8) throw UsageError("the table of " + in_quotes(names[v]) + " is too large");
    const auto own = static_cast<double>(states[v].size());
    const std::vector<double> table(static_cast<std::size_t>(joint), -std::log(own));
    net.graph.add_factor(scope, net.graph.add_table(table));
  }
  check_directed(net.graph, [&](Variable v) { return in_quotes(names[v]); });
  return write_bif(net);
}

template <class Add>
void for_each_row(const Rows& rows, const Add& add) {
  std::vector<State> row;
  for (const auto& each : rows) {
    row.clear();
    for (const std::int64_t state : each) {
      row.push_back(state < 0 ? kUnobserved : static_cast<State>(state));
    }
    add(row);
  }
}

// [(from, to, confidence, direction)] of bootstrap_edges().
py::list confidences(const BayesNetTrainer& trainer) {
  const GraphNames& names = trainer.network().names;
  py::list edges;
  for (const EdgeConfidence& each : trainer.learnt()->confidence) {
    edges.append(py::make_tuple(variable_name(names, each.from), variable_name(names, each.to),
                                each.confidence, each.direction));
  }
  return edges;
}

py::tuple train_bayes_net(const std::string& text, const Rows& rows, const py::dict& given,
                          bool from_tables, const py::object& callback) {
  BayesNetRequest request = bayes_net_request(values_of(given, "bayes-net"));
  request.of_em.clear();  // all are always given
  request.options.from_tables = from_tables && !request.learn.shape;
  request.learn.from_given = from_tables;
  if (from_tables && request.learn.shape &&
      request.learn.shape->method != ShapeMethod::hill_climbing) {
    throw UsageError(Message::option("from-tables"), " goes with ",
                     Message::option("learn-structure"), " hill-climbing; leave it out");
  }
  BayesNetTrainer trainer(std::move(request));
  const auto read = [&] {
    trainer.begin(read_net(text));
    for_each_row(rows, [&](std::span<const State> row) { trainer.add(row); });
  };
  const py::dict told = observe(trainer, read, callback);
  if (trainer.learnt()) told["edge_confidence"] = confidences(trainer);
  return py::make_tuple(write_bif(trainer.network()), told);
}

py::dict structural_distance(const std::string& found, const std::string& truth) {
  const GraphFile a = read_net(found), b = read_net(truth);
  if (a.names.variables != b.names.variables) {
    throw UsageError("the networks have other variables, or the same in another order");
  }
  const StructuralDistance apart =
      distance(class_of(parents_of(a.graph)), class_of(parents_of(b.graph)));
  return py::dict("total"_a = apart.total(), "missing"_a = apart.missing, "extra"_a = apart.extra,
                  "turned"_a = apart.turned);
}

double log_likelihood(const std::string& text, const Rows& rows) {
  const py::gil_scoped_release release;
  const FactorGraph tables = with_own_tables(read_net(text).graph);
  BayesNetData data(tables);
  for_each_row(rows, [&](std::span<const State> row) { data.add(row); });
  ThreadPool pool(1);
  std::vector<double> counts;
  return data.evaluate(pool, counts);
}

std::vector<CaseRow> case_rows(const Rows& rows) {
  std::vector<CaseRow> out;
  for_each_row(rows, [&](std::span<const State> row) { out.emplace_back(row.begin(), row.end()); });
  return out;
}

// p(target | row) by row; empty where a row is impossible.
std::vector<std::vector<double>> posteriors(const std::string& text, const Rows& rows,
                                            Variable target, std::size_t threads) {
  const py::gil_scoped_release release;
  const GraphFile net = read_net(text);
  ThreadPool pool(threads);
  std::vector<std::vector<double>> out;
  for (CaseAnswer& each : answer_cases(net.graph, target, case_rows(rows), pool)) {
    out.push_back(std::move(each.posterior));
  }
  return out;
}

// As croft evaluate --json has it.
std::string evaluation(const std::string& text, const Rows& rows, std::optional<Variable> target,
                       std::size_t threads) {
  const py::gil_scoped_release release;
  ThreadPool pool(threads);
  return to_json(evaluate_network(read_net(text), target, case_rows(rows), pool))
      .dump(-1, InvalidUtf8::replace);
}

}  // namespace

void bind_bayes_net(py::module_& module) {
  module.def("bayes_net_posteriors", &posteriors);
  module.def("bayes_net_evaluation", &evaluation);
  module.def("bayes_net", &uniform);
  module.def("train_bayes_net", &train_bayes_net);
  module.def("bayes_net_log_likelihood", &log_likelihood);
  module.def("bayes_net_distance", &structural_distance);
}

}  // namespace croft::python

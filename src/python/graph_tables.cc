// General CRFs from tables: a spec and a database, as the program reads them.
#include <pybind11/stl.h>

#include "app/train/requests.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "python/bind.h"
#include "python/graph_question.h"
#include "python/model.h"
#include "python/options.h"
#include "python/read/sequences.h"
#include "python/training_watch.h"
#include "sql/explain_graph.h"
#include "sql/train/train_graph.h"

namespace croft::python {
namespace {

namespace py = pybind11;

using Paths = std::vector<std::filesystem::path>;

std::vector<std::string> strings_of(const Paths& paths) {
  std::vector<std::string> out;
  for (const auto& each : paths) out.push_back(each.string());
  return out;
}

// (model, dict of the result)
py::tuple train_tables(const py::dict& options, const std::filesystem::path& spec,
                       const Paths& databases, const Paths& held_out, const Paths& unlabelled,
                       const SharedGraphModel& init, const SharedGraphModel& prior,
                       const py::object& callback) {
  GraphTrainRequest request;
  static_cast<GraphRequest&>(request) = graph_request(values_of(options, "graph"));
  request.spec = spec.string();
  request.databases = strings_of(databases);
  start_from({init, prior}, request);
  request.held_out = strings_of(held_out);
  if (!held_out.empty()) hold_out_dev("database_dev", request);
  request.unlabelled = strings_of(unlabelled);
  const std::unique_ptr<GraphTrainer> trainer = make_graph_trainer(request);
  trainer->open();
  TrainObserver nobody;
  const py::dict told = observe(
      *trainer, [&] { trainer->read_files(nobody); }, callback);
  auto model = std::make_shared<PythonGraphModel>(
      Container::from_bytes(trainer->model().bytes(), "the model"));
  return py::make_tuple(model, told);
}

// The tables of a database, and what is asked of them.
struct TableQuestion {
  TableQuestion(const SharedGraphModel& asked, const Paths& databases,
                const std::optional<std::filesystem::path>& spec, const py::dict& how, LabelUse use)
      : model(asked->model), question(how, model.schema()) {
    const py::gil_scoped_release release;
    GraphSpec declared = reading(model.container(), "meta", [&] {
      return graph_spec_from(model.source(), model.container().name());
    });
    if (spec) declared = with_queries_of(declared, GraphSpec::read(spec->string()));
    const Database database = Database::open(strings_of(databases));
    tables.emplace(GraphTables::read(database, std::move(declared), model, use));
  }
  CliqueData& data() { return tables->data(); }
  const GoldLabels& gold() const { return tables->variables().gold(); }

  const GraphModel& model;
  GraphQuestion question;
  std::optional<GraphTables> tables;
};

py::object id_of(const RowId& id) {
  if (id.is_text) return str_of(id.text);
  return py::int_(id.number);
}

// Rows of (domain, instance, id, label, probability): of the labels that were chosen, or of all.
py::list label_tables(const SharedGraphModel& model, const Paths& databases,
                      const std::optional<std::filesystem::path>& spec, const py::dict& how,
                      bool use_known, bool all) {
  TableQuestion asked(model, databases, spec, how, use_known ? LabelUse::known : LabelUse::ignored);
  asked.question.options.keep_marginals = all;
  const GraphLabels labels = answer(asked.model, asked.data(), asked.question);
  py::list out;
  const CliqueData& data = asked.data();
  for (std::uint32_t v = 0; v < data.variables(); ++v) {
    const Domain& domain = asked.model.schema().domains[data.domain(v)];
    const py::object name = str_of(domain.name), instance = str_of(data.group_name(v)),
                     id = id_of(asked.tables->variables().row_id(v));
    const auto add = [&](State s, double probability) {
      out.append(py::make_tuple(name, instance, id, str_of(domain.labels[s]), probability));
    };
    if (!all) {
      add(labels.label[v], labels.probability[v]);
      continue;
    }
    const std::span<const double> marginals = labels.marginals_of(v);
    for (State s = 0; s < marginals.size(); ++s) add(s, marginals[s]);
  }
  return out;
}

// JSON, as croft evaluate --json has it.
std::string evaluate_tables(const SharedGraphModel& model, const Paths& databases,
                            const std::optional<std::filesystem::path>& spec, const py::dict& how,
                            bool use_known, bool ranking, bool confusion) {
  TableQuestion asked(model, databases, spec, how, use_known ? LabelUse::rest : LabelUse::gold);
  return evaluate_json(asked.model, asked.data(), asked.gold(), asked.question,
                       {.by_the_others = use_known && !asked.tables->variables().says_known(),
                        .ranking = ranking,
                        .confusion = confusion});
}

// (text, JSON) of each variable, as croft explain has them.
std::vector<std::pair<std::string, std::string>> explain_tables(
    const SharedGraphModel& model, const Paths& databases,
    const std::optional<std::filesystem::path>& spec, const py::dict& how, bool use_known,
    const std::vector<std::string>& variables, const std::string& against, std::size_t top) {
  TableQuestion asked(model, databases, spec, how, use_known ? LabelUse::known : LabelUse::ignored);
  std::vector<std::pair<std::string, std::string>> out;
  const py::gil_scoped_release release;
  explain_graph(asked.model, *asked.tables, asked.question.options,
                {.variables = variables, .against = against, .top = top}, [&](const View& view) {
                  out.emplace_back(view.text, view.json.dump(-1, InvalidUtf8::replace));
                });
  return out;
}

// (the calibrated model, JSON of what it was fitted to)
py::tuple calibrate_tables(const SharedGraphModel& model, const Paths& databases,
                           const std::optional<std::filesystem::path>& spec, const py::dict& how) {
  TableQuestion asked(model, databases, spec, how, LabelUse::rest);
  return calibrated(asked.model, asked.data(), asked.gold(), asked.question);
}

}  // namespace

void bind_graph_tables(py::module_& module) {
  module.def("train_tables", &train_tables);
  module.def("label_tables", &label_tables);
  module.def("evaluate_tables", &evaluate_tables);
  module.def("explain_tables", &explain_tables);
  module.def("calibrate_tables", &calibrate_tables);
}

}  // namespace croft::python

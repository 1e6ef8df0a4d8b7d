// General CRFs: cliques that a Python function makes, training, models.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <cmath>

#include "app/train/graph_trainer.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "model/foreign/open_model_file.h"
#include "python/bind.h"
#include "python/graph.h"
#include "python/model.h"
#include "python/options.h"
#include "python/training_watch.h"

namespace croft::python {
namespace {

namespace py = pybind11;
// (name, numbers of domains, interaction, joint states of `list`)
using TemplateSpec =
    std::tuple<std::string, std::vector<std::uint32_t>, std::string, std::vector<std::uint64_t>>;

CliqueSchema schema_of(const std::vector<std::pair<std::string, std::vector<std::string>>>& domains,
                       const std::vector<TemplateSpec>& templates) {
  CliqueSchema schema;
  for (const auto& [name, labels] : domains) schema.domains.push_back({name, labels});
  for (const auto& [name, domain, interaction, listed] : templates) {
    std::vector<std::uint32_t> states;
    for (const std::uint32_t d : domain) {
      if (d >= schema.domains.size()) throw UsageError("a template of a domain that is not there");
      states.push_back(static_cast<std::uint32_t>(schema.domains[d].labels.size()));
    }
    try {
      schema.templates.push_back(
          {name, domain, Interaction(interaction_kind(interaction), std::move(states), listed)});
    } catch (const UsageError& error) {
      throw UsageError("template ", in_quotes(name), ": ", error.message());
    }
  }
  return schema;
}

struct PythonGraphModel {
  explicit PythonGraphModel(Container container) : model(std::move(container)) {}
  GraphModel model;
};

class CliqueTrainer final : public GraphTrainer {
 public:
  CliqueTrainer(GraphRequest request, CliqueData& data, std::vector<StringTable>& names,
                Json source)
      : GraphTrainer(std::move(request)), data_(data), names_(names), source_(std::move(source)) {}
  TrainFiles files() const override { return {}; }
  void read_files(TrainObserver&) override { set_data(data_, names_, data_.cliques()); }
  void write() override {}

 private:
  Json source(std::span<const LabelMixtures>) override { return source_; }

  CliqueData& data_;
  std::vector<StringTable>& names_;
  Json source_;
};

// Cliques of instances, with names of features: all those that come, or those of a model.
class Cliques {
 public:
  explicit Cliques(CliqueSchema schema)
      : schema_(std::make_unique<CliqueSchema>(std::move(schema))),
        data_(*schema_),
        names_(schema_->templates.size()) {}
  explicit Cliques(std::shared_ptr<PythonGraphModel> model)
      : model_(std::move(model)), data_(model_->model.schema()) {}

  std::uint32_t add_variable(std::uint32_t domain, std::uint64_t instance, std::int64_t state) {
    return data_.add_variable(
        domain, std::to_string(instance),
        state < 0 ? kUnobserved
                  : static_cast<State>(std::min<std::int64_t>(state, kUnobserved - 1)));
  }
  void add_clique(std::uint32_t t, const std::vector<std::uint32_t>& variables,
                  const std::vector<std::pair<std::string, double>>& features) {
    features_.clear();
    if (t >= data_.schema().templates.size()) throw UsageError("there is no such template");
    for (const auto& [name, value] : features) {
      if (!std::isfinite(value)) {
        throw UsageError("feature " + in_quotes(name) + " is " + std::to_string(value) +
                         "; it must be a finite number");
      }
      const std::uint32_t id = model_ ? model_->model.find(t, name) : names_.at(t).insert(name);
      if (id != kUnknown && value != 0) features_.push_back({id, value});
    }
    data_.add_clique(t, variables, features_);
  }

  // On the cliques, which are gone then.
  //   prior : null, or the model whose weights are the penalty's mean, and the start
  py::tuple train(const py::dict& dict, const std::string& source,
                  const std::shared_ptr<PythonGraphModel>& prior, const py::object& callback) {
    GraphRequest request = graph_request(values_of(dict, "graph"));
    if (prior) {
      prior->model.container().verify();  // training would carry damage on
      request.options.init = {prior, &prior->model};
      request.options.prior = true;
    }
    CliqueTrainer trainer(std::move(request), data_, names_, parse_json(source));
    trainer.open();
    TrainObserver nobody;
    const py::dict told = observe(
        trainer, [&] { trainer.read_files(nobody); }, callback);
    auto model = std::make_shared<PythonGraphModel>(
        Container::from_bytes(trainer.model().bytes(), "the model"));
    return py::make_tuple(model, told);
  }

  // Scored by the model: a graph for each instance; cliques are gone then.
  py::list graphs() {
    if (!model_) throw UsageError("there is no model to score the graphs");
    std::vector<GraphInstance> instances = data_.unroll();
    std::vector<double> scratch;
    py::list out;
    for (GraphInstance& each : instances) {
      model_->model.score(data_.rows(), each, scratch);
      out.append(python_graph(std::move(each.graph)));
    }
    return out;
  }

 private:
  std::shared_ptr<PythonGraphModel> model_;
  std::unique_ptr<CliqueSchema> schema_;
  CliqueData data_;
  std::vector<StringTable> names_;
  std::vector<CliqueFeature> features_;
};

// [(feature, cell, weight)], in order of feature and cell.
py::list weights_of(const PythonGraphModel& self, std::uint32_t t) {
  const CliqueSchema& schema = self.model.schema();
  if (t >= schema.templates.size()) throw UsageError("there is no such template");
  std::vector<std::span<const std::string>> labels;
  for (const std::uint32_t d : schema.templates[t].domain) {
    labels.emplace_back(schema.domains[d].labels);
  }
  const FeatureTable& table = self.model.table(t);
  std::vector<std::tuple<std::string, std::uint32_t, float>> rows;
  for (std::uint32_t id = 0; id < table.size(); ++id) {
    const WeightRow row = table.row(id);
    for (std::size_t k = 0; k < row.size(); ++k) {
      rows.emplace_back(table.name(id), row.cell(k), row.weight(k));
    }
  }
  std::ranges::sort(rows);
  py::list out;
  for (const auto& [name, cell, weight] : rows) {
    out.append(
        py::make_tuple(name, schema.templates[t].interaction.cell_name(cell, labels), weight));
  }
  return out;
}

}  // namespace

void bind_graph_crf(py::module_& module) {
  py::class_<PythonGraphModel, std::shared_ptr<PythonGraphModel>>(module, "GraphModel")
      .def_static("open",
                  [](const std::filesystem::path& path) {
                    return std::make_shared<PythonGraphModel>(read_model_file(path));
                  })
      .def_static("from_bytes",
                  [](const py::bytes& data, const std::string& name) {
                    Container container = container_of(data, name);
                    container.verify();  // it is all in memory anyway
                    return std::make_shared<PythonGraphModel>(std::move(container));
                  })
      .def(
          "bytes",
          [](const PythonGraphModel& self) { return python_bytes(self.model.container().bytes()); })
      .def("save",
           [](const PythonGraphModel& self, const std::filesystem::path& path) {
             save_file(self.model.container().bytes(), path);
           })
      .def("meta", [](const PythonGraphModel& self) { return self.model.meta().dump(); })
      .def("weights", &weights_of);
  py::class_<Cliques>(module, "Cliques")
      .def(py::init([](const std::vector<std::pair<std::string, std::vector<std::string>>>& domains,
                       const std::vector<TemplateSpec>& templates) {
        return std::make_unique<Cliques>(schema_of(domains, templates));
      }))
      .def(py::init<std::shared_ptr<PythonGraphModel>>(), py::arg("model").none(false))
      .def("add_variable", &Cliques::add_variable)
      .def("add_clique", &Cliques::add_clique)
      .def("train", &Cliques::train)
      .def("graphs", &Cliques::graphs);
}

}  // namespace croft::python

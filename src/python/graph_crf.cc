// General CRFs: cliques that a Python function makes, training, models.
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

#include "app/explain/explain_labels.h"
#include "app/train/graph_trainer.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "features/given_weights.h"
#include "model/foreign/open_model_file.h"
#include "python/bind.h"
#include "python/graph.h"
#include "python/graph_model.h"
#include "python/graph_question.h"
#include "python/model.h"
#include "python/options.h"
#include "python/training_watch.h"

namespace croft::python {
namespace {

namespace py = pybind11;

template <class T>
T item(const py::dict& from, const char* key) {
  return from.contains(key) ? from[key].cast<T>() : T();
}

// Of a dict as _Schema.native() makes it.
CliqueTemplate template_of(const py::dict& from, std::span<const Domain> domains) {
  using JointStates = std::vector<std::uint64_t>;
  CliqueTemplate made{
      item<std::string>(from, "name"), item<std::vector<std::uint32_t>>(from, "domains"), {}};
  InteractionParts parts;
  std::vector<std::span<const std::string>> labels;
  for (const std::uint32_t d : made.domain) {
    if (d >= domains.size()) throw UsageError("a template of a domain that is not there");
    labels.emplace_back(domains[d].labels);
    parts.states.push_back(static_cast<std::uint32_t>(domains[d].labels.size()));
  }
  try {
    parts.kind = interaction_kind(item<std::string>(from, "interaction"));
    parts.listed = item<JointStates>(from, "listed");
    parts.forbidden = item<JointStates>(from, "forbidden");
    parts.shared = item<std::vector<JointStates>>(from, "shared");
    const auto counted = item<std::vector<std::vector<std::uint32_t>>>(from, "counted");
    for (std::size_t place = 0; place < counted.size(); ++place) {
      auto& counts = parts.rule.counts.emplace_back(parts.states.at(place), std::uint8_t{0});
      for (const std::uint32_t state : counted[place]) counts.at(state) = 1;
    }
    parts.rule.from = item<std::vector<std::uint64_t>>(from, "from");
    if (from.contains("k")) parts.rule.k = from["k"].cast<std::uint64_t>();
    made.lists = item<std::vector<bool>>(from, "lists");
    if (from.contains("penalty")) made.penalty = from["penalty"].cast<double>();
    parts.rule.broken = made.penalty.has_value();
    made.interaction = make_interaction(std::move(parts));
    using Weight = std::tuple<std::string, std::vector<std::string>, double>;
    for (const auto& [feature, cell, weight] : item<std::vector<Weight>>(from, "weights")) {
      made.given.push_back({feature, made.interaction.cell_named(cell, labels), weight});
    }
    made.scores = made.penalty || !made.given.empty();
    made.check();
  } catch (const UsageError& error) {
    throw UsageError("template ", in_quotes(made.name), ": ", error.message());
  }
  return made;
}

CliqueSchema schema_of(const std::vector<std::pair<std::string, std::vector<std::string>>>& domains,
                       const std::vector<py::dict>& templates) {
  CliqueSchema schema;
  for (const auto& [name, labels] : domains) schema.domains.push_back({name, labels});
  for (const py::dict& each : templates) {
    schema.templates.push_back(template_of(each, schema.domains));
  }
  return schema;
}

class CliqueTrainer final : public GraphTrainer {
 public:
  //   holdout    : null, or data that is held out
  //   unlabelled : null, or data without labels
  CliqueTrainer(GraphRequest request, CliqueData& data, CliqueData* holdout, CliqueData* unlabelled,
                std::vector<StringTable>& names, Json source)
      : GraphTrainer(std::move(request)),
        data_(data),
        holdout_(holdout),
        unlabelled_(unlabelled),
        names_(names),
        source_(std::move(source)) {}
  TrainFiles files() const override { return {}; }
  void read_files(TrainObserver&) override {
    prepare(data_);
    set_data(data_, names_, data_.cliques());
    if (unlabelled_ != nullptr) set_unlabelled(*unlabelled_);
    CliqueData& compared = holdout_ != nullptr ? *holdout_ : data_;
    if (!request_.holdout.empty()) set_holdout(compared, held_out_labels(compared));
  }
  void write() override {}

 private:
  Json source(std::span<const LabelMixtures>) override { return source_; }

  CliqueData& data_;
  CliqueData *holdout_, *unlabelled_;
  std::vector<StringTable>& names_;
  Json source_;
};

// Cliques of instances, with names of features: all those that come, or those of a training or a
// model.
class Cliques {
 public:
  explicit Cliques(CliqueSchema schema)
      : schema_(std::make_unique<CliqueSchema>(std::move(schema))),
        data_(*schema_),
        names_(schema_->templates.size()) {
    find_given();
  }
  explicit Cliques(std::shared_ptr<PythonGraphModel> model)
      : model_(std::move(model)), data_(model_->model.schema()) {
    find_given();
  }

  // Instances that are held out from this training, or have no labels; its cliques are all there.
  explicit Cliques(std::shared_ptr<Cliques> training)
      : training_(std::move(training)), data_(training_->data_.schema()) {
    find_given();
  }

  std::uint32_t add_variable(std::uint32_t domain, std::uint64_t instance, std::int64_t state) {
    return data_.add_variable(
        domain, std::to_string(instance),
        state < 0 ? kUnobserved
                  : static_cast<State>(std::min<std::int64_t>(state, kUnobserved - 1)));
  }
  //   features : of a known value, its label
  //   sizes    : of places, where some have lists of variables
  void add_clique(std::uint32_t t, const std::vector<std::uint32_t>& variables,
                  const std::vector<std::pair<std::string, double>>& features,
                  const std::vector<std::uint32_t>& sizes) {
    features_.clear();
    if (t >= data_.schema().templates.size()) throw UsageError("there is no such template");
    const CliqueTemplate& of = data_.schema().templates[t];
    for (const auto& [name, value] : features) {
      if (!std::isfinite(value)) {
        throw UsageError("feature " + in_quotes(name) + " is " + std::to_string(value) +
                         "; it must be a finite number");
      }
      const std::uint32_t id = of.is_known() ? label_of(of, name) : feature_of(t, name);
      if (id != kUnknown && value != 0) features_.push_back({id, value});
    }
    if (!of.given.empty()) {
      given_[t].score(features_, scores_);
      features_.swap(scores_);
    }
    data_.add_clique(t, variables, features_, sizes);
  }

  // On the cliques, which are gone then.
  //   init    : null, or the model whose weights are the start
  //   prior   : null, or the model whose weights are the penalty's mean, and the start
  //   holdout, unlabelled : null, or what is held out from this training, and what has no labels
  //   weights : of the instances; empty: all 1
  py::tuple train(const py::dict& dict, const std::string& source, const SharedGraphModel& init,
                  const SharedGraphModel& prior, const std::shared_ptr<Cliques>& holdout,
                  const std::shared_ptr<Cliques>& unlabelled, const std::vector<double>& weights,
                  const py::object& callback) {
    GraphRequest request = graph_request(values_of(dict, "graph"));
    start_from({init, prior}, request);
    request.instance_weights = weights;
    if (holdout) {
      hold_out_dev("X_dev", request);
      holdout->data_.hold_out(std::vector<bool>(holdout->data_.groups(), true));
    }
    const auto data_of = [](const std::shared_ptr<Cliques>& cliques) {
      return cliques ? &cliques->data_ : nullptr;
    };
    CliqueTrainer trainer(std::move(request), data_, data_of(holdout), data_of(unlabelled), names_,
                          parse_json(source));
    trainer.open();
    TrainObserver nobody;
    const py::dict told = observe(
        trainer, [&] { trainer.read_files(nobody); }, callback);
    auto model = std::make_shared<PythonGraphModel>(
        Container::from_bytes(trainer.model().bytes(), "the model"));
    return py::make_tuple(model, told);
  }

  // How good the model's labels are, the calibrated model, and why labels are what they are, as of
  // graph_question.h; cliques are gone then.
  //   gold : [variables] a label, or none
  using Labels = std::vector<std::optional<std::string>>;
  std::string evaluate(const Labels& gold, const py::dict& how, bool by_the_others, bool ranking,
                       bool confusion) {
    return evaluate_json(
        trained(), data_, gold_labels(gold), GraphQuestion(how, data_.schema()),
        {.by_the_others = by_the_others, .ranking = ranking, .confusion = confusion});
  }
  py::tuple calibrate(const Labels& gold, const py::dict& how) {
    return calibrated(trained(), data_, gold_labels(gold), GraphQuestion(how, data_.schema()));
  }
  // (text, JSON) of each of the variables.
  //   names : [variables]
  //   all   : nobody named them
  std::vector<std::pair<std::string, std::string>> explain(
      const std::vector<std::uint32_t>& variables, bool all, const std::vector<std::string>& names,
      const py::dict& how, const std::string& against, std::size_t top) {
    const GraphQuestion question(how, data_.schema());
    std::vector<std::pair<std::string, std::string>> out;
    const auto name = [&](std::uint32_t v) { return names.at(v); };
    const py::gil_scoped_release release;
    explain_labels(trained(), data_, question.options,
                   {.variables = variables,
                    .all = all,
                    .against = against,
                    .top = top,
                    .name = name,
                    .id = name},
                   [&](const View& view) {
                     out.emplace_back(view.text, view.json.dump(-1, InvalidUtf8::replace));
                   });
    return out;
  }

  // Scored by the model: a graph for each instance; cliques are gone then.
  py::list graphs() {
    const GraphModel& model = trained();
    std::vector<GraphInstance> instances = data_.unroll();
    std::vector<double> scratch;
    py::list out;
    for (GraphInstance& each : instances) {
      model.score(data_.rows(), each, scratch);
      out.append(python_graph(std::move(each.graph)));
    }
    return out;
  }

 private:
  void find_given() {
    for (const CliqueTemplate& each : data_.schema().templates) given_.emplace_back(each.given);
  }

  const GraphModel& trained() const {
    if (!model_) throw UsageError("there is no model to score the graphs");
    return model_->model;
  }

  GoldLabels gold_labels(const Labels& labels) const {
    GoldLabels gold;
    for (std::uint32_t v = 0; v < labels.size(); ++v) {
      gold.state.push_back(kUnobserved);
      if (!labels[v]) continue;
      const std::uint32_t domain = data_.domain(v);
      const std::vector<std::string>& known = data_.schema().domains[domain].labels;
      const auto at = std::ranges::find(known, *labels[v]);
      gold.state.back() = at == known.end() ? gold.other(data_.schema(), domain, *labels[v])
                                            : static_cast<std::uint32_t>(at - known.begin());
    }
    return gold;
  }

  std::uint32_t label_of(const CliqueTemplate& t, const std::string& name) const {
    const std::vector<std::string>& labels = data_.schema().domains[t.domain[0]].labels;
    const auto found = std::ranges::find(labels, name);
    if (found != labels.end()) return static_cast<std::uint32_t>(found - labels.begin());
    throw UsageError("template ", in_quotes(t.name), ": there is no label ", in_quotes(name));
  }

  std::uint32_t feature_of(std::uint32_t t, const std::string& name) {
    if (!data_.schema().templates[t].given.empty()) return given_[t].find(name);
    if (training_) return training_->names_.at(t).find(name);
    if (!model_) return names_.at(t).insert(name);
    const std::uint32_t id = model_->model.find(t, name);
    // Models of earlier versions call the feature that every clique has so.
    return id == kUnknown && name == "(bias)" ? model_->model.find(t, "bias") : id;
  }

  std::shared_ptr<PythonGraphModel> model_;
  std::shared_ptr<Cliques> training_;
  std::unique_ptr<CliqueSchema> schema_;
  CliqueData data_;
  std::vector<StringTable> names_;
  std::vector<GivenWeights> given_;  // [templates]
  std::vector<CliqueFeature> features_, scores_;
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
  py::class_<Cliques, std::shared_ptr<Cliques>>(module, "Cliques")
      .def(py::init([](const std::vector<std::pair<std::string, std::vector<std::string>>>& domains,
                       const std::vector<py::dict>& templates) {
        return std::make_shared<Cliques>(schema_of(domains, templates));
      }))
      .def(py::init<std::shared_ptr<PythonGraphModel>>(), py::arg("model").none(false))
      .def(py::init<std::shared_ptr<Cliques>>(), py::arg("training").none(false))
      .def("add_variable", &Cliques::add_variable)
      .def("add_clique", &Cliques::add_clique)
      .def("train", &Cliques::train)
      .def("evaluate", &Cliques::evaluate)
      .def("calibrate", &Cliques::calibrate)
      .def("explain", &Cliques::explain)
      .def("graphs", &Cliques::graphs);
}

}  // namespace croft::python

#include "sql/train/train_graph.h"

#include <fmt/format.h>

#include "app/train/requests.h"
#include "app/train/train_files.h"

namespace croft {
namespace {

void require_densities(const GraphTables& tables) {
  for (const TemplateSpec& each : tables.spec().templates) {
    if (!each.mixture || each.mixture->fitted) continue;
    throw InputError({each.query.name, each.query.line},
                     "template '" + each.name + "': some label of '" + each.variables[0] +
                         "' is that of no variable with measurements: its density cannot be fitted",
                     "", "--em-iterations fits it to variables without a label, too");
  }
}

class DatabaseTrainer final : public GraphTrainer {
 public:
  explicit DatabaseTrainer(const GraphTrainRequest& asked) : GraphTrainer(asked), asked_(asked) {}
  TrainFiles files() const override {
    TrainFiles files{asked_.databases, asked_.output};
    files.inputs.insert(files.inputs.end(),
                        {asked_.spec, asked_.init, asked_.prior, asked_.variances});
    files.inputs.insert(files.inputs.end(), asked_.held_out.begin(), asked_.held_out.end());
    files.inputs.insert(files.inputs.end(), asked_.unlabelled.begin(), asked_.unlabelled.end());
    files.inputs.push_back(asked_.expectations);
    return files;
  }
  void open() override {
    GraphTrainer::open();
    spec_ = GraphSpec::read(asked_.spec);
  }
  void read_files(TrainObserver& observer) override {
    const Database database = Database::open(asked_.databases, asked_.limits);
    const auto progress = [&](std::size_t variables, std::size_t cliques) {
      observer.reading(fmt::format("{} variables, {} cliques", variables, cliques));
    };
    const std::optional<double> share = holdout_fraction(asked_.holdout);
    tables_ = GraphTables::read(database, std::move(spec_),
                                {.progress = progress,
                                 .variables =
                                     [&](CliqueData& data) {
                                       prepare(data);
                                       if (asked_.part) asked_.part(data);
                                     },
                                 .sequences = share.has_value()});
    for (const std::string& each : tables_->warnings()) observer.warn(each);
    if (!asked_.held_out.empty()) {  // by the names of features, which training takes
      const Database other = Database::open(asked_.held_out, asked_.limits, "--holdout");
      held_out_ = GraphTables::read(other, *tables_, LabelUse::rest, progress);
    }
    if (!asked_.unlabelled.empty()) {
      const Database other = Database::open(asked_.unlabelled, asked_.limits, "--unlabelled");
      unlabelled_ = GraphTables::read(other, *tables_, LabelUse::ignored, progress);
    }
    if (!set_data(tables_->data(), tables_->features(), tables_->cliques(),
                  tables_->measurements())) {
      require_densities(*tables_);
    }
    if (unlabelled_) set_unlabelled(unlabelled_->data());
    if (asked_.holdout.empty()) return;
    GraphTables& compared = held_out_ ? *held_out_ : *tables_;
    set_holdout(compared.data(), true_labels(compared));
  }
  void write() override { model().write(asked_.output); }

 private:
  // Of what the tables hold out, or are in all.
  TrueLabels true_labels(const GraphTables& tables) const {
    const bool all = held_out_.has_value();
    return [&tables, all, held_out = held_out_labels(tables.data())](std::uint32_t v) {
      std::optional<TrueLabel> label;
      if (!all) {
        label = held_out(v);
      } else if (tables.variables().gold(v) != kUnobserved) {
        label = TrueLabel{tables.variables().gold().name(tables.schema(), tables.data().domain(v),
                                                         tables.variables().gold(v))};
      }
      if (label) label->sequence = tables.variables().gold().sequence_of(v);
      return label;
    };
  }

  Json source(std::span<const LabelMixtures> densities) override {
    std::size_t m = 0;
    for (TemplateSpec& each : tables_->spec().templates) {
      if (!each.mixture || !each.mixture->generative || m == densities.size()) continue;
      each.mixture->fitted = densities[m++];
    }
    return to_json(tables_->spec());
  }

  GraphTrainRequest asked_;
  GraphSpec spec_;
  std::optional<GraphTables> tables_, held_out_, unlabelled_;
};

}  // namespace

std::unique_ptr<Trainer> make_trainer(const GraphTrainRequest& request) {
  return make_graph_trainer(request);
}

std::unique_ptr<GraphTrainer> make_graph_trainer(const GraphTrainRequest& request) {
  return std::make_unique<DatabaseTrainer>(request);
}

GraphTrainRequest graph_train_request(const OptionValues& values) {
  GraphTrainRequest request;
  values.read("spec", request.spec);
  values.read("database", request.databases);
  values.read("unlabelled", request.unlabelled);
  values.read("output", request.output);
  request.limits = query_limits(values);
  if (request.spec.empty())
    throw UsageError("--model graph needs --spec, which declares the graph");
  if (request.databases.empty()) throw UsageError("--model graph needs --database");
  static_cast<GraphRequest&>(request) = graph_request(values);
  if (!request.holdout.empty() && !holdout_fraction(request.holdout)) {
    request.held_out = {request.holdout};
  }
  return request;
}

}  // namespace croft

#include "sql/train_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/file_checks.h"
#include "core/atomic_file.h"
#include "core/json.h"
#include "croft/core/interrupt.h"

#include "data/settings/variance_file.h"
#include "train/course/report.h"
#include "train/train_options.h"

namespace croft {
namespace {

// What the data turned out to be.
struct GraphTrainData {
  std::size_t variables, hidden, instances, cliques, templates, features;
};

// What is set must mean something to the optimiser.
void check_settings(const GraphTrainOptions& options) {
  const Method chosen = options.chosen_method();
  const bool passes = options.settings.passes && !options.method && chosen == Method::lbfgs;
  check_choice({.structure = Structure::graph,
                .objective = options.objective,
                .method = passes ? Method::sgd_lbfgs : chosen,
                .regulariser = options.regulariser,
                .settings = options.settings,
                .by_default = !options.method});
}

void check(const GraphTrainRequest& request) {
  request.options.validate();
  check_settings(request.options);
  if (request.resume && request.checkpoint.empty()) {
    throw UsageError("--resume goes on from a checkpoint; name its folder with --checkpoint");
  }
  if (!request.prior.empty() && !request.init.empty()) {
    throw UsageError("--prior is also what training starts from: leave out --init");
  }
  if (!request.checkpoint.empty() && request.options.starts > 1) {
    throw UsageError("--checkpoint keeps the state of one start; leave out --starts, or it");
  }
  if (request.window && request.options.stop.tolerance == 0) {
    throw UsageError(
        "--window is what --tolerance is measured over, which is 0: give one above 0, or leave out "
        "--window");
  }
}

// Opens what the request names beside the data.
void open_start(const GraphTrainRequest& request, GraphTrainOptions& options) {
  const std::string& path = request.prior.empty() ? request.init : request.prior;
  if (!path.empty()) {
    options.init = GraphModel::open(path);
    options.init->container().verify();  // training would carry damage on
    options.prior = !request.prior.empty();
  }
  if (request.variances.empty()) return;
  LineReader lines(request.variances);
  options.variances = [file = read_variance_file(lines)](std::span<const std::string_view> names) {
    return variances_of(file, names);
  };
}

Json setting_record(const GraphTrainOptions& o) {
  Json record = Json::object();
  const auto add = [&](const char* name, const auto& value) {
    if (value) record[name] = *value;
  };
  add("memory", o.inference.memory);
  add("inference_iterations", o.inference.max_iterations);
  add("damping", o.inference.damping);
  add("cost", o.inference.cost);
  add("search", o.inference.search);
  add("pairs", o.inference.pairs);
  if (o.em) record["em_steps"] = o.em->m_iterations;
  add("history", o.settings.history);
  add("step", o.settings.step);
  add("batch", o.settings.batch);
  add("sgd_passes", o.settings.passes);
  add("average_from", o.settings.average_from);
  if (o.settings.schedule) record["schedule"] = step_schedule_name(*o.settings.schedule);
  return record;
}

Json options_record(const GraphTrainOptions& o) {
  Json record = {{"objective", name_of(o.objective)},
                 {"optimizer", info(o.chosen_method()).name},
                 {"l1", o.regulariser.l1},
                 {"l2", o.regulariser.l2},
                 {"features", o.features == FeatureSet::all ? "all" : "observed"},
                 {"min_count", o.min_count},
                 {"seed", o.seed}};
  if (o.em) record["em"] = {{"m_iterations", o.em->m_iterations}};
  record.update(setting_record(o));
  return record;
}

Json training_record(const GraphTrainOptions& options, const GraphTrainData& data,
                     const GraphTrainResult& result) {
  Json record = options_record(options);
  record.update({{"variables", data.variables},
                 {"instances", data.instances},
                 {"cliques", data.cliques},
                 {"weights", result.dimension},
                 {"nonzero_weights", result.active},
                 {"iterations", result.optimization.iterations},
                 {"evaluations", result.optimization.evaluations},
                 {"objective_value", result.optimization.objective},
                 {"gradient_norm", result.optimization.gradient_norm},
                 {"stop", stop_reason_name(result.optimization.reason)}});
  if (result.findings.not_converged > 0) {
    record["inferences"] = result.findings.inferences;
    record["inferences_not_converged"] = result.findings.not_converged;
  }
  if (options.init) record["from"] = options.prior ? "prior" : "init";
  if (options.variances) record["variances"] = "file";
  if (data.hidden > 0) record["hidden_variables"] = data.hidden;
  if (options.starts > 1) {
    record["starts"] = options.starts;
    record["objectives"] = result.objectives;
  }
  return record;
}

// Of the data and of what decides how it is trained on, but for when that stops.
//   names : of features, which go by them to the weights of another model and to variances
std::uint64_t fingerprint(const GraphTrainRequest& request, const GraphTables& tables,
                          std::span<const StringTable> names,
                          std::span<const GraphInstance> instances) {
  const GraphTrainOptions& options = request.options;
  Fingerprint print;
  print.add(to_json(tables.spec()).dump(-1, InvalidUtf8::replace));
  print.add(options_record(options).dump());
  for (const Domain& each : tables.schema().domains) {
    for (const std::string& label : each.labels) print.add(label);
  }
  std::vector<std::uint32_t> numbers;
  std::vector<double> values;
  for (const GraphInstance& each : instances) {
    print.add(each.known);
    print.add(each.row);
    for (Factor f = 0; f < each.graph.factors(); ++f) {
      const auto scope = each.graph.scope(f);
      numbers.assign(scope.begin(), scope.end());
      numbers.push_back(each.graph.potential_of(f));
      print.add(numbers);
    }
  }
  const CliqueRows& rows = tables.data().rows();
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    numbers.clear();
    values.clear();
    for (const CliqueFeature& each : rows.features(row)) {
      numbers.push_back(each.id);
      values.push_back(each.value);
    }
    print.add(numbers);
    print.add(values);
  }
  for (const StringTable& each : names) {
    for (std::uint32_t id = 0; id < each.size(); ++id) print.add(each[id]);
  }
  if (options.init) {
    print.add(std::string_view(options.prior ? "prior" : "init"));
    print.add(options.init->container().bytes());
  }
  if (!request.variances.empty()) {
    LineReader lines(request.variances);
    for (std::string_view line; lines.next(line);) print.add(line);
  }
  return print.value();
}

// Whether EM has measurements of variables whose label is hidden.
bool measures_hidden(const GraphTables& tables) {
  return std::ranges::any_of(tables.measurements(), [&](const Measurements& rows) {
    return std::ranges::any_of(
        rows.variable, [&](std::uint32_t v) { return tables.data().known(v) == kUnobserved; });
  });
}

void require_densities(const GraphTables& tables) {
  for (const TemplateSpec& each : tables.spec().templates) {
    if (!each.mixture || each.mixture->fitted) continue;
    throw InputError({each.query.name, each.query.line},
                     "template '" + each.name + "': some label of '" + each.variables[0] +
                         "' is that of no variable with measurements: its density cannot be fitted",
                     "", "--em-iterations fits it to variables without a label, too");
  }
}

// What the request leaves open, filled in.
GraphTrainRequest with_defaults(GraphTrainRequest request) {
  GraphTrainOptions& o = request.options;
  const bool online = !info(o.chosen_method()).l2;
  o.regulariser.l2 = request.l2.value_or(online ? 0.0 : 1.0);
  o.stop.max_iterations = request.max_iterations.value_or(online ? 100 : 1000);
  o.stop.tolerance = request.tolerance.value_or(online ? 0.0 : default_tolerance(o.regulariser));
  o.stop.gradient_tolerance = request.gradient_tolerance.value_or(online ? 0.0 : 1e-5);
  o.stop.window = request.window.value_or(o.stop.window);
  return request;
}

// Where many runs end early the objective has no derivative to follow.
std::string warning_of(const GraphFindings& found, const GraphTrainOptions& options) {
  if (found.not_converged == 0) return {};
  if (searches(options.objective)) {
    return Message("warning: the labelling that the search found was not proven to be the best in ",
                   found.not_converged, " of ", found.inferences, " runs during training, in ",
                   found.last_not_converged,
                   " of the last evaluation, and learning may be misled; try --search "
                   "junction-tree or trw-s, or another objective, such as pseudolikelihood\n")
        .text();
  }
  return Message("warning: inference has not converged in ", found.not_converged, " of ",
                 found.inferences, " runs during training, in ", found.last_not_converged,
                 " of the last evaluation; try --damping 0.5",
                 options.inference.max_iterations ? Message(", more --inference-iterations") : "",
                 ", or another objective, such as pseudolikelihood or piecewise\n")
      .text();
}

class GraphTrainer final : public Trainer {
 public:
  explicit GraphTrainer(const GraphTrainRequest& asked) : request_(with_defaults(asked)) {
    check(request_);
  }
  TrainFiles files() const override {
    TrainFiles files{request_.databases, {}, request_.output};
    files.inputs.insert(files.inputs.end(),
                        {request_.spec, request_.init, request_.prior, request_.variances});
    return files;
  }
  CheckpointRequest checkpoint() const override {
    return {request_.checkpoint, request_.resume,
            request_.checkpoint_interval.value_or(kCheckpointInterval)};
  }
  StoppingRule stopping() const override { return request_.options.stop; }
  void open() override {
    open_start(request_, request_.options);
    request_.options.validate();
    spec_ = GraphSpec::read(request_.spec);
  }

  void read_files(TrainObserver& observer) override {
    const Database database = Database::open(request_.databases);
    tables_ = GraphTables::read(
        database, std::move(spec_), [&](std::size_t variables, std::size_t cliques) {
          observer.reading(fmt::format("{} variables, {} cliques", variables, cliques));
        });
    data_ = {.variables = tables_->data().variables(),
             .hidden = 0,
             .instances = tables_->data().groups(),
             .cliques = tables_->cliques(),
             .templates = tables_->schema().templates.size(),
             .features = 0};
    for (const StringTable& each : tables_->features()) data_.features += each.size();
    if (request_.options.em && measures_hidden(*tables_)) {
      field_.emplace(tables_->data(), std::move(tables_->features()), tables_->measurements());
      data_.hidden = field_->hidden();
    } else {
      require_densities(*tables_);
      training_.emplace(tables_->data(), std::move(tables_->features()));
      data_.hidden = training_->hidden();
    }
  }
  DataSummary summary() const override {
    const GraphTrainData& d = data_;
    DataSummary summary{
        fmt::format("{} variables in {} instances, {} cliques of {} templates, {} features",
                    d.variables, d.instances, d.cliques, d.templates, d.features),
        {{"variables", d.variables},
         {"hidden_variables", d.hidden},
         {"instances", d.instances},
         {"cliques", d.cliques},
         {"features", d.features}}};
    if (d.hidden > 0) summary.text += fmt::format("; {} variables without a label", d.hidden);
    return summary;
  }

  TrainOutcome run(TrainObserver& observer, CheckpointFolder* checkpoints) override {
    GraphTrainOptions& options = request_.options;
    const TrainingCallback see = [&](const TrainProgress& now) {
      return observer.iteration(step_of(now));
    };
    if (field_) {
      result_ = field_->run(options, see);
    } else {
      options.method = options.chosen_method(training_->instances().size(), data_.hidden > 0);
      options.checkpoints = checkpoints;
      if (checkpoints != nullptr) {
        checkpoints->set_fingerprint(
            fingerprint(request_, *tables_, training_->features(), training_->instances()));
      }
      result_ = training_->run(options, see);
    }
    TrainOutcome outcome = outcome_of(result_, options.regulariser.l1);
    outcome.warning = warning_of(result_.findings, options);
    return outcome;
  }
  void write() override {
    const Json record = training_record(request_.options, data_, result_);
    if (training_) {
      training_->model(to_json(tables_->spec()), record).write(request_.output);
      return;
    }
    std::size_t m = 0;
    for (TemplateSpec& each : tables_->spec().templates) {
      if (each.mixture && each.mixture->generative) each.mixture->fitted = field_->densities()[m++];
    }
    field_->model(to_json(tables_->spec()), record).write(request_.output);
  }

 private:
  GraphTrainRequest request_;
  GraphSpec spec_;
  std::optional<GraphTables> tables_;
  GraphTrainData data_{};
  std::optional<MeasuredField> field_;  // with densities to be fitted; otherwise:
  std::optional<GraphTraining> training_;
  GraphTrainResult result_;
};

}  // namespace

std::unique_ptr<Trainer> make_trainer(const GraphTrainRequest& request) {
  return std::make_unique<GraphTrainer>(request);
}

}  // namespace croft

#include "app/train/graph_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/train/train_files.h"
#include "core/words/counted.h"
#include "croft/core/random.h"
#include "croft/inference/elimination_order.h"
#include "train/course/report.h"
#include "train/graph/exact_fit.h"

namespace croft {
namespace {

// What is set must mean something to the optimizer.
void check_settings(const GraphRequest& request) {
  const GraphTrainOptions& options = request.options;
  const Method chosen = options.chosen_method();
  const bool passes = options.settings.passes && !options.method && chosen == Method::lbfgs;
  check_choice({.structure = Structure::graph,
                .objective = options.objective,
                .method = passes ? Method::sgd_lbfgs : chosen,
                .regulariser = options.regulariser,
                .settings = options.settings,
                .unlabelled = options.unlabelled.terms(),
                .weighted = !request.weights.empty() || !request.class_weights.empty(),
                .by_default = !options.method,
                .tolerance = request.tolerance.value_or(0) > 0,
                .window = request.window.has_value()});
}

Json options_record(const GraphTrainOptions& o) {
  Json record = {{"objective", name_of(o.objective)},
                 {"optimizer", info(o.chosen_method()).name},
                 {"l1", o.regulariser.l1},
                 {"l2", o.regulariser.l2},
                 {"features", o.features == FeatureSet::all ? "all" : "observed"},
                 {"min_count", o.min_count},
                 {"seed", o.seed}};
  const auto add = [&](const char* name, const auto& value) {
    if (value) record[name] = *value;
  };
  if (o.em) record["em"] = {{"m_iterations", o.em->m_iterations}};
  add("memory", o.inference.memory);
  add("inference_iterations", o.inference.max_iterations);
  add("damping", o.inference.damping);
  add("cost", o.inference.cost);
  add("search", o.inference.search);
  add("pairs", o.inference.pairs);
  add("pieces", o.inference.pieces);
  if (o.em) record["em_steps"] = o.em->m_iterations;
  add("history", o.settings.history);
  add("step", o.settings.step);
  add("batch", o.settings.batch);
  add("sgd_passes", o.settings.passes);
  add("average_from", o.settings.average_from);
  if (o.settings.schedule) record["schedule"] = step_schedule_name(*o.settings.schedule);
  return record;
}

void add(Fingerprint& print, const CliqueSchema& schema) {
  for (const Domain& each : schema.domains) {
    print.add(each.name);
    for (const std::string& label : each.labels) print.add(label);
  }
  for (const CliqueTemplate& each : schema.templates) {
    print.add(each.name, each.domain, name_of(each.interaction.kind()), each.interaction.listed(),
              each.interaction.forbidden(), each.interaction.cell_of_number());
  }
}

void add(Fingerprint& print, std::span<const GraphInstance> instances) {
  std::vector<std::uint32_t> numbers;
  for (const GraphInstance& each : instances) {
    print.add(each.known, each.row);
    print.add({each.weight});
    for (Factor f = 0; f < each.graph.factors(); ++f) {
      const auto scope = each.graph.scope(f);
      numbers.assign(scope.begin(), scope.end());
      numbers.push_back(each.graph.potential_of(f));
      print.add(numbers);
    }
    for (const auto& [name, blocks] : each.blocks) {
      print.add(name);
      for (const std::vector<Variable>& block : blocks) print.add(block);
    }
  }
}

void add(Fingerprint& print, const CliqueRows& rows) {
  std::vector<std::uint32_t> numbers;
  std::vector<double> values;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    numbers.clear();
    values.clear();
    for (const CliqueFeature& each : rows.features(row)) {
      numbers.push_back(each.id);
      values.push_back(each.value);
    }
    print.add(numbers, values);
  }
}

void add(Fingerprint& print, const ExpectationFile& file) {
  for (const ExpectationRule& rule : file.rules) {
    print.add(rule.attribute);
    for (const LabelShare& each : rule.shares) {
      print.add(each.label);
      print.add({static_cast<double>(each.relation), each.share});
    }
  }
}

// Whether EM has measurements of variables whose label is hidden.
bool measures_hidden(const CliqueData& data, std::span<const Measurements> measurements) {
  return std::ranges::any_of(measurements, [&](const Measurements& rows) {
    return std::ranges::any_of(rows.variable,
                               [&](std::uint32_t v) { return data.known(v) == kUnobserved; });
  });
}

// Of a training that went to the end of its iterations, though nobody set one, or of one that knows
// how far it may be from the minimum.
std::string not_converged(const OptimizeResult& result, const GraphRequest& request) {
  const GraphTrainOptions& o = request.options;
  const bool at_end =
      result.reason == StopReason::max_iterations || result.reason == StopReason::no_progress;
  const bool has_rule = info(o.chosen_method()).l2 && !is_direction(o.objective);
  if (!at_end || !has_rule || (request.max_iterations && !result.gap)) return {};
  return Message("warning: training has not converged after ", result.iterations, " iterations",
                 result.gap ? fmt::format(": the objective, {:.10g}, may be {:.3g}, relatively, "
                                          "above its minimum",
                                          result.objective, *result.gap)
                            : "",
                 "; give more --max-iterations, another --optimizer, or a larger --l2\n")
      .text();
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

}  // namespace

void GraphTrainer::prepare(CliqueData& data) const {
  const std::vector<double>& weights = request_.instance_weights;
  if (!weights.empty() && data.has_weights()) {
    throw UsageError("weights of the instances are given twice: as a column weight, too");
  }
  if (!request_.weights.empty() && weights.size() != data.groups()) {
    throw InputError(
        {request_.weights},
        fmt::format("{}, and {} to train on", counted(weights.size(), "weight"),
                    counted(data.groups(), "instance")),
        "", "write one weight a line for each instance, in the order of their first variables");
  }
  if (!weights.empty()) data.weigh(weights);
  const std::optional<double> share = holdout_fraction(request_.holdout);
  if (!share) return;
  Random random(request_.options.seed);
  std::vector<bool> groups(data.groups());
  std::size_t held_out = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    groups[g] = random.uniform() < *share;
    held_out += groups[g] ? 1 : 0;
  }
  require_holdout(request_.holdout, held_out, groups.size(), "instances");
  data.hold_out(std::move(groups));
}

GraphTrainer::GraphTrainer(GraphRequest request) : request_(std::move(request)) {
  GraphTrainOptions& o = request_.options;
  request_.set_defaults(o.chosen_method(), o.regulariser, o.stop);
  o.validate();
  check_settings(request_);
  request_.check(o.stop);
  holdout_fraction(request_.holdout);  // one that is out of range is refused
  if (o.early_stop > 0 && request_.holdout.empty()) {
    throw UsageError("--early-stop needs --holdout, to see when to stop");
  }
}

void GraphTrainer::share() {
  GraphTrainOptions& o = request_.options;
  o.helpers = &ranks();
  const DistributedMethods methods{Structure::graph, false};
  if (!o.method) o.method = methods.by_default(o.objective, o.regulariser);
  if (ranks().alone()) return;
  methods.check(*o.method, o.objective);
}

void GraphTrainer::open() {
  GraphTrainOptions& o = request_.options;
  const std::string& path = request_.start();
  if (!path.empty()) {
    o.init = GraphModel::read(path);
    o.prior = !request_.prior.empty();
  }
  o.variances = read_variances(request_.variances);
  if (!request_.weights.empty()) {
    request_.instance_weights = read_sequence_weights(request_.weights);
  }
  o.label_weights = read_label_weights(request_.class_weights);
  o.unlabelled.expectations = read_expectations(request_.expectations);
  o.validate();
}

bool GraphTrainer::set_data(CliqueData& data, std::vector<StringTable>& features,
                            std::size_t cliques, std::span<const Measurements> measurements) {
  data_ = &data;
  measurements_ = measurements;
  size_ = {.variables = data.variables(),
           .instances = data.groups(),  // with those that are held out
           .cliques = cliques,
           .templates = data.schema().templates.size()};
  for (const StringTable& each : features) size_.features += each.size();
  if (request_.options.em && measures_hidden(data, measurements)) {
    size_.hidden = field_.emplace(data, std::move(features), measurements).hidden();
  } else {
    size_.hidden = training_.emplace(data, std::move(features)).hidden();
  }
  return field_.has_value();
}

void GraphTrainer::set_holdout(CliqueData& data, const TrueLabels& truth) {
  if (field_) {
    throw UsageError(
        "--holdout does not go with densities that EM fits to variables without a label; leave it "
        "out, or compare trainings by croft evaluate");
  }
  if (&data != data_) training_->hold_out(data);
  size_.held_out = training_->held_out();
  GraphTrainOptions& options = request_.options;
  options.score = GraphScores(data, truth);
  if (options.early_stop == 0) return;
  Fingerprint print;
  add(print, data.rows());
  for (std::uint32_t v = 0; v < data.variables(); ++v) {
    const std::optional<TrueLabel> label = truth(v);
    print.add(label ? label->label : std::string_view());
  }
  holdout_ = print.value();
}

void GraphTrainer::set_unlabelled(CliqueData& data) {
  if (data.groups() == 0) throw Error("the data without labels has no variable");
  request_.options.unlabelled.check_data(data.groups());
  training_->add_unlabelled(data);
  size_.unlabelled = training_->unlabelled().size();
}

DataSummary GraphTrainer::summary() const {
  const Size& s = size_;
  DataSummary summary{fmt::format("{} in {}, {} of {}, {}", counted(s.variables, "variable"),
                                  counted(s.instances, "instance"), counted(s.cliques, "clique"),
                                  counted(s.templates, "template"), counted(s.features, "feature")),
                      {{"variables", s.variables},
                       {"hidden_variables", s.hidden},
                       {"instances", s.instances},
                       {"cliques", s.cliques},
                       {"features", s.features},
                       {"holdout_instances", s.held_out}}};
  if (s.held_out > 0) summary.text += fmt::format("; {} held out", s.held_out);
  if (s.unlabelled > 0) {
    summary.text += fmt::format("; {} without labels", counted(s.unlabelled, "instance"));
    summary.counts.emplace_back("unlabelled_instances", s.unlabelled);
  }
  if (s.hidden > 0) {
    summary.text += fmt::format("; {} without a label", counted(s.hidden, "variable"));
  }
  return summary;
}

// The likelihood where exact sums fit; else what does without them.
void GraphTrainer::choose_objective(TrainObserver& observer) {
  GraphTrainOptions& options = request_.options;
  if (request_.names_objective || !training_) return;
  const Message why = why_not_exact(training_->instances(), options.inference.memory);
  if (why.empty()) return;
  const bool hidden = size_.hidden > 0 || options.em || options.unlabelled.any();
  options.objective = hidden ? Objective::bethe : Objective::pseudolikelihood;
  options.inference.memory.reset();
  check_settings(request_);
  observer.warn(Message("", why,
                        ", too many for the exact likelihood: training minimises --objective ",
                        name_of(options.objective), "; give --objective for another, such as ",
                        std::string_view(hidden ? "mean-field" : "bethe or piecewise"))
                    .text());
}

TrainOutcome GraphTrainer::run(TrainObserver& observer, CheckpointFolder* checkpoints) {
  GraphTrainOptions& options = request_.options;
  options.checkpoints = checkpoints;
  const TrainingCallback see = [&](const TrainProgress& now) {
    return observer.iteration(step_of(now));
  };
  choose_objective(observer);
  if (training_) {
    options.method = options.chosen_method(training_->instances().size(), size_.hidden > 0);
  }
  if (checkpoints != nullptr) checkpoints->set_fingerprint(fingerprint());
  try {
    result_ = field_ ? field_->run(options, see) : training_->run(options, see);
  } catch (const TooWide& wide) {
    throw Error("--objective ", name_of(options.objective),
                " needs exact sums, and a junction tree "
                "of an instance has ",
                fmt::format("2^{:.0f}", std::floor(wide.log2_states())),
                " joint states or more; take --objective pseudolikelihood, piecewise or bethe");
  }
  TrainOutcome outcome = outcome_of(result_, options.regulariser.l1);
  const std::string& missed = result_.optimization.warning;  // bounds
  outcome.warning = (missed.empty() ? "" : "warning: " + missed + "\n") +
                    not_converged(result_.optimization, request_) +
                    warning_of(result_.findings, options);
  return outcome;
}

// Of the data and of what decides how it is trained on, but for when that stops.
std::uint64_t GraphTrainer::fingerprint() {
  const GraphTrainOptions& options = request_.options;
  Fingerprint print;
  print.add(source({}).dump(-1, InvalidUtf8::replace), options_record(options).dump());
  add(print, data_->schema());
  add(print, field_ ? field_->instances() : std::as_const(*training_).instances());
  for (const Measurements& each : measurements_) {
    print.add(each.variable, each.x);
  }
  add(print, data_->rows());
  print.add({options.start_deviation, static_cast<double>(options.starts)});
  if (options.label_weights) {
    print.add(std::string_view("class weights"));
    if (options.label_weights->file) {
      for (const LabelWeight& rule : options.label_weights->file->rules) {
        print.add(rule.label);
        print.add({rule.weight});
      }
    }
  }
  if (options.early_stop > 0) {
    print.add(std::to_string(options.early_stop), std::to_string(holdout_));
  }
  if (options.unlabelled.any()) {
    const UnlabelledOptions& u = options.unlabelled;
    if (training_) add(print, training_->unlabelled());
    print.add({u.entropy, u.expectations_weight, static_cast<double>(u.from_labelled)});
    if (u.expectations) add(print, *u.expectations);
  }
  // Features go by their names to the weights of another model and to variances.
  for (const StringTable& each : field_ ? field_->features() : training_->features()) {
    for (std::uint32_t id = 0; id < each.size(); ++id) print.add(each[id]);
  }
  if (options.init) {
    print.add(std::string_view(options.prior ? "prior" : "init"),
              options.init->container().bytes());
  }
  if (!request_.variances.empty()) {
    LineReader lines(request_.variances);
    for (std::string_view line; lines.next(line);) print.add(line);
  }
  return print.value();
}

Json GraphTrainer::record() const {
  const GraphTrainOptions& options = request_.options;
  Json record = options_record(options);
  record.update({{"variables", size_.variables},
                 {"instances", size_.instances},
                 {"cliques", size_.cliques},
                 {"weights", result_.dimension},
                 {"nonzero_weights", result_.active},
                 {"iterations", result_.optimization.iterations},
                 {"evaluations", result_.optimization.evaluations},
                 {"objective_value", result_.optimization.objective},
                 {"gradient_norm", result_.optimization.gradient_norm},
                 {"stop", stop_reason_name(result_.optimization.reason)}});
  if (data_->has_weights()) {
    double total = 0;
    std::vector<bool> seen(data_->groups(), false);
    for (std::uint32_t v = 0; v < data_->variables(); ++v) {
      if (seen[data_->group(v)] || data_->held_out(v)) continue;
      seen[data_->group(v)] = true;
      total += data_->weight(v);
    }
    record["total_weight"] = total;
  }
  add_class_weights(request_.class_weights, record);
  if (options.unlabelled.any()) {
    Json of = Json::object();
    if (size_.unlabelled > 0) of["instances"] = size_.unlabelled;
    add_unlabelled(options.unlabelled, std::move(of), result_.self_training, record);
  }
  if (size_.held_out > 0) {
    record["holdout"]["instances"] = size_.held_out;
    if (result_.holdout) {
      record["holdout"]["token_accuracy"] = result_.holdout->token_accuracy;
      if (result_.holdout->chunk_f1) record["holdout"]["chunk_f1"] = *result_.holdout->chunk_f1;
    }
  }
  if (result_.best_iteration) record["kept_iteration"] = *result_.best_iteration;
  if (!result_.curve.empty()) record["curve"] = result_.curve.json();
  if (result_.optimization.gap) record["gap"] = *result_.optimization.gap;
  if (result_.findings.not_converged > 0) {
    record["inferences"] = result_.findings.inferences;
    record["inferences_not_converged"] = result_.findings.not_converged;
  }
  if (options.init) record["from"] = options.prior ? "prior" : "init";
  if (options.variances) record["variances"] = "file";
  if (size_.hidden > 0) record["hidden_variables"] = size_.hidden;
  if (options.starts > 1) {
    record["starts"] = options.starts;
    record["objectives"] = result_.objectives;
  }
  return record;
}

ContainerWriter GraphTrainer::model() {
  return field_ ? field_->model(source(field_->densities()), record())
                : training_->model(source({}), record());
}

}  // namespace croft

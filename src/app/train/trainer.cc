#include "app/train/trainer.h"

#include <fmt/format.h>

#include "app/file_checks.h"
#include "app/label/tagger.h"
#include "app/train/recorded_options.h"
#include "app/train/train_files.h"
#include "core/files.h"
#include "core/simd.h"
#include "core/words/counted.h"
#include "croft/core/interrupt.h"
#include "data/checks.h"
#include "model/kinds/model_file.h"
#include "train/course/report.h"

namespace croft {
namespace {

// The sequences of all processes, in the order of ranks.
std::vector<TextSequence> lists_of_all(Ranks& ranks, std::vector<TextSequence> here) {
  if (ranks.alone()) return here;
  StateArchive out;
  out(here);
  std::vector<TextSequence> all;
  for (const std::string& bytes : ranks.gather(out.bytes())) {
    StateArchive in(bytes);
    in(here);
    std::ranges::move(here, std::back_inserter(all));
  }
  return all;
}

std::optional<CheckpointFolder> open_checkpoints(const Trainer& trainer) {
  const CheckpointRequest request = trainer.checkpoint();
  if (request.folder.empty()) return std::nullopt;
  return std::make_optional<CheckpointFolder>(request.folder, request.resume,
                                              std::chrono::duration<double>(request.interval),
                                              trainer.ranks());
}

void add_holdout(std::size_t sequences, const std::optional<HoldoutScore>& score, Json& record) {
  if (sequences > 0) record["holdout"]["sequences"] = sequences;
  if (!score) return;
  record["holdout"]["token_accuracy"] = score->token_accuracy;
  if (score->chunk_f1) record["holdout"]["chunk_f1"] = *score->chunk_f1;
}

using Step = std::function<void()>;

// What one of several processes sees: all of them stop where one is asked to.
class AgreeingObserver final : public TrainObserver {
 public:
  AgreeingObserver(TrainObserver& inner, Ranks& ranks) : inner_(inner), ranks_(ranks) {}
  void reading(std::string_view what) override { inner_.reading(what); }
  void data_read(const DataSummary& data) override { inner_.data_read(data); }
  void part(std::string_view what) override { inner_.part(what); }
  void warn(std::string_view what) override { inner_.warn(what); }
  void round(const FeatureRound& round) override { inner_.round(round); }

 private:
  bool see(const TrainStep& step) override {
    const bool stops = any_of_all(ranks_, !inner_.iteration(step));
    const bool interrupted = any_of_all(ranks_, interruption);  // which may be set at any time
    if (interrupted) interruption = true;
    return !stops && !interrupted;
  }

  TrainObserver& inner_;
  Ranks& ranks_;
};

TrainOutcome run_course(Trainer& trainer, TrainObserver& local, const Step& read,
                        const Step& write) {
  Ranks& ranks = trainer.ranks();
  AgreeingObserver agreeing(local, ranks);
  TrainObserver& observer = ranks.alone() ? local : agreeing;
  auto checkpoints = open_checkpoints(trainer);
  if (checkpoints) checkpoints->set_warning([&](std::string_view what) { observer.warn(what); });
  read();
  observer.data_read(trainer.summary());
  TrainOutcome outcome = trainer.run(observer, checkpoints ? &*checkpoints : nullptr);
  if (interruption && outcome.reason == "stopped" && outcome.iterations == 0) {
    throw Interrupted("interrupted before the first iteration");
  }
  run_together(ranks, [&] {
    if (ranks.first()) write();
  });
  // What ended by itself leaves nothing to resume.
  if (checkpoints && !interruption && !observer.stopped()) checkpoints->remove();
  return outcome;
}

}  // namespace

TrainOutcome train(Trainer& trainer, TrainObserver& observer) {
  const TrainFiles files = trainer.files();
  check_files(files.inputs, files.output);
  check_written({{"output", files.output}, {"checkpoint", trainer.checkpoint().folder}});
  Ranks& ranks = trainer.ranks();
  run_together(ranks, [&] {
    // Created and removed: what forbids writing the model is known before the work, not after it.
    if (ranks.first()) const AtomicFile attempt{files.output};
  });
  const auto read = [&] {
    run_together(ranks, [&] { trainer.open(); });
    trainer.read_files(observer);
  };
  try {
    return run_course(trainer, observer, read, [&] { trainer.write(); });
  } catch (const Interrupted& reason) {
    throw Interrupted(reason.message(), "; there is no model to keep yet");
  }
}

TrainOutcome train_on(Trainer& trainer, const Step& read, TrainObserver& observer) {
  return run_course(trainer, observer, read, [] {});
}

TrainFiles SequenceTrainer::files() const {
  TrainFiles files{input_files(request_), request_.output};
  files.inputs.insert(files.inputs.end(), {request_.init, request_.prior});
  std::ranges::copy(own_files(), std::back_inserter(files.inputs));
  return files;
}

namespace {

// Processes take the same decisions where the same numbers come out of the same instructions.
void require_same_instructions(Ranks& ranks) {
  const std::vector<std::string> target = ranks.gather(simd_target());
  for (const std::string& each : target) {
    if (each == target.front()) continue;
    throw UsageError("the machines' processors differ: one computes with ", target.front(),
                     ", another with ", each,
                     "; set CROFT_SIMD to what all have, as in mpirun -x "
                     "CROFT_SIMD=AVX2");
  }
}

}  // namespace

void Trainer::work_with(Ranks& ranks) {
  if (sharing() == Sharing::none) {
    if (ranks.alone()) return;
    throw UsageError("this kind of model trains in one process; start croft without mpirun");
  }
  require_same_instructions(ranks);
  ranks_ = &ranks;
  share();
}

void SequenceTrainer::share() {
  TrainOptions& o = request_.options;
  const bool data = sharing() == Sharing::data;
  (data ? o.ranks : o.helpers) = &ranks();
  const DistributedMethods methods{structure(), data};
  if (!names_method()) o.method = methods.by_default(o.objective, o.regulariser);
  if (ranks().alone()) return;
  methods.check(*o.method, o.objective);
  check_distributed(request_);
}

std::string SequenceTrainer::warning() const {
  const TrainOptions& o = request_.options;
  if (o.method != Method::async_sgd || o.threads == 1) return {};
  return "async-sgd on several threads: another run will give another model";
}

std::unique_ptr<TrainingInput> SequenceTrainer::open_input(TrainObserver& observer) const {
  return open_training_files(request_, extraction(), observer, rules());
}

void SequenceTrainer::read_files(TrainObserver& observer) {
  own_input_ = open_input(observer);
  read(*own_input_);
}

void require_no_documents(const SequenceModel& model) {
  if (model.first_pass() == nullptr) return;
  throw UsageError(model.container().name(),
                   " looks at documents (--documents), and its first pass has seen its data: train "
                   "a new model");
}

void SequenceTrainer::read(TrainingInput& input) {
  if (start() != nullptr) require_no_documents(*start());
  input_ = &input;
  options_ = read_options(request_);
  options_.features = request_.features.value_or(
      input.extractor().has_template() ? FeatureSet::all : FeatureSet::observed);
  SequenceTraining& training = begin(input.extractor());
  training_ = &training;
  if (request_.partial) training.read_partial_labels(*request_.partial);
  read_data(input, training);
  training.share_out(*request_.options.ranks);
  partial_positions_ = training.partial_positions();
}

void SequenceTrainer::read_data(TrainingInput& input, SequenceTraining& training) {
  std::vector<TextSequence> held_out;
  split_data(
      request_, input,
      [&](TextSequence& sequence, const std::string& file) { training.add(sequence, file); },
      [&](const TextSequence& sequence) { held_out.push_back(sequence); });
  input.read_unlabelled([&](TextSequence& sequence, const std::string& file) {
    training.add_unlabelled(sequence, file);
  });
  if (holdout_fraction(request_.holdout) || input.holdout_in_parts()) {
    held_out = lists_of_all(*request_.options.ranks, std::move(held_out));
  }
  for (TextSequence& each : held_out) {
    if (!scored_at_end()) {
      training.add_holdout(std::move(each), request_.holdout);
    } else if (each.has_labels()) {
      held_out_.push_back(std::move(each));
    }
  }
}

TrainOutcome SequenceTrainer::run(TrainObserver& observer, CheckpointFolder* checkpoints) {
  options_.checkpoints = checkpoints;
  TrainOutcome outcome = fit(observer, checkpoints);
  if (!ranks().alone()) {
    const Ranks::Traffic traffic = ranks().traffic();
    outcome.further.push_back({"communication_seconds", traffic.seconds, Shown::log});
    outcome.further.push_back({"communication_bytes", traffic.bytes, Shown::log});
  }
  if (held_out_.empty()) return outcome;
  score_ = outcome.holdout = score(model());
  outcome.tail += ", " + holdout_text(*score_);
  outcome.further.push_back({"holdout_accuracy", score_->token_accuracy, Shown::log});
  if (score_->chunk_f1) {
    outcome.further.push_back({"holdout_f1", *score_->chunk_f1, Shown::log});
  }
  return outcome;
}

EarlyStop SequenceTrainer::early_stop() const {
  if (held_out_.empty() || options_.early_stop == 0) return {};
  Fingerprint holdout;
  for (const TextSequence& text : held_out_) {
    for (const StringLists* lists : {&text.node, &text.edge, &text.labels}) add_to(holdout, *lists);
  }
  return {.after = options_.early_stop,
          .holdout = holdout.value(),
          .score = [this](const ContainerWriter& model) { return score(model); }};
}

HoldoutScore SequenceTrainer::score(const ContainerWriter& model) const {
  const auto trained = read_model(Container::from_bytes(model.bytes(), "the model"));
  Tagger tagger(*trained);
  std::vector<std::vector<std::string>> labels;
  for (const TextSequence& text : held_out_) {
    labels.emplace_back();
    for (const Label y : tagger.tag(text, {}).y) labels.back().emplace_back(trained->label(y));
  }
  std::vector<std::vector<std::string_view>> predicted;
  for (const auto& each : labels) predicted.emplace_back(each.begin(), each.end());
  return scorer()(predicted);
}

constexpr std::size_t kManyLabels = 50;

DataSummary SequenceTrainer::summary() const {
  const SequenceTraining& t = *training_;
  DataSummary summary{fmt::format("{}, {}, {}, {}", counted(t.sequences(), "sequence"),
                                  counted(t.positions(), "position"), counted(t.labels(), "label"),
                                  counted(t.attributes(), "attribute")),
                      {{"sequences", t.sequences()},
                       {"positions", t.positions()},
                       {"labels", t.labels()},
                       {"attributes", t.attributes()},
                       {"holdout_sequences", t.holdout_sequences() + held_out_.size()},
                       {"partial_positions", t.partial_positions()},
                       {"features", options_.features == FeatureSet::all ? "all" : "observed"}}};
  add_held_out(summary);
  if (t.partial_positions() > 0) {
    summary.text += fmt::format("; {} without a single label", t.partial_positions());
  }
  const bool by_lines =
      request_.format == InputFormat::columns || request_.format == InputFormat::attributes;
  if (by_lines && lacks_empty_lines(t.sequences(), t.positions())) {
    summary.text +=
        fmt::format("\n{} of {}: are empty lines missing?", counted(t.sequences(), "sequence"),
                    counted(t.positions() / t.sequences(), "position"));
  }
  if (request_.format == InputFormat::csv) {
    summary.text +=
        "\nthe labels are the column " + in_quotes(input_->extractor().config().csv.label);
  }
  if (t.labels() >= kManyLabels && 2 * t.labels() > t.positions()) {
    summary.text += fmt::format("\n{} at {}: are the labels somewhere else in the data?",
                                counted(t.labels(), "label"), counted(t.positions(), "position"));
  }
  if (request_.format == InputFormat::attributes && t.attributes() == 0) {
    summary.text +=
        "\nno item has an attribute: the model knows labels and their transitions alone";
  }
  if (request_.format == InputFormat::columns && !input_->extractor().has_template()) {
    summary.text += "\nno --template given: using the default features for words";
  }
  if (const ChosenMethod method = chosen(); !method.why.empty()) {
    summary.text += fmt::format("\noptimizer {}: {}", info(method.method).name, method.why);
  }
  if (start() != nullptr && start()->calibrator()) {
    summary.text += "\n" + start()->container().name() +
                    " is calibrated, and the new model will not be: see croft calibrate";
  }
  return summary;
}

void SequenceTrainer::add_held_out(DataSummary& summary) const {
  const std::size_t sequences = training_->holdout_sequences() + held_out_.size();
  if (sequences > 0) summary.text += fmt::format("; {} held out", sequences);
}

ContainerWriter SequenceTrainer::model() {
  Json kept = record();
  add_holdout(held_out_.size(), score_, kept);
  input_->describe(kept);
  if (const DocumentRequest& documents = request_.documents; documents.any()) {
    kept["documents"] = documents.by;
    kept["document_column"] = documents.column;
    kept["document_parts"] = documents.parts;
  }
  if (request_.given != nullptr) {
    add_options(*request_.given, input_->extractor().config(), kept);
  }
  return file(kept);
}

ChainTraining::HoldoutScorer SequenceTrainer::scorer() const {
  return [this](const auto& predicted) {
    const auto holdout = [this](std::size_t n) -> const TextSequence& {
      return held_out_.empty() ? training_->holdout(n) : held_out_[n];
    };
    return score_holdout(holdout, predicted, request_.partial);
  };
}

Json SequenceTrainer::common_record(Method method, std::optional<Precision> precision,
                                    const TrainResult& result) const {
  const TrainOptions& o = options_;
  const SequenceTraining& t = *training_;
  Json record = {{"objective", info(o.objective).name},
                 {"optimizer", info(method).name},
                 {"l1", o.regulariser.l1},
                 {"l2", o.regulariser.l2},
                 {"features", o.features == FeatureSet::all ? "all" : "observed"},
                 {"min_count", o.min_count},
                 {"seed", o.seed},
                 {"sequences", t.sequences()},
                 {"positions", t.positions()},
                 {"attributes", t.attributes()},
                 {"weights", result.dimension},
                 {"nonzero_weights", result.active},
                 {"iterations", result.optimization.iterations},
                 {"evaluations", result.optimization.evaluations},
                 {"objective_value", result.optimization.objective},
                 {"gradient_norm", result.optimization.gradient_norm},
                 {"stop", stop_reason_name(result.optimization.reason)}};
  if (result.optimization.gap) record["gap"] = *result.optimization.gap;
  if (precision) record["precision"] = *precision == Precision::single ? "single" : "double";
  add_holdout(t.holdout_sequences(), result.holdout, record);
  if (result.best_iteration) record["kept_iteration"] = *result.best_iteration;
  if (!result.curve.empty()) record["curve"] = result.curve.json();
  if (partial_positions_ > 0) record["partial_positions"] = partial_positions_;
  if (t.total_weight() != static_cast<double>(t.sequences())) {
    record["total_weight"] = t.total_weight();
  }
  add_choices(record);
  return record;
}

// What is said only where it makes a difference.
void SequenceTrainer::add_choices(Json& record) const {
  const TrainRequest& r = request_;
  const TrainOptions& o = options_;
  if (input_->extractor().config().intercept) {
    record["intercept"] = o.free_intercept ? "unpenalised" : "penalised";
  }
  if (info(o.objective).cost) {
    const auto number = cost_number(r.cost.empty() ? "1" : r.cost);
    record["cost"] = number ? Json(*number) : Json("file");
  }
  if (!r.constrain.empty()) {
    record["constraint"] = names_a_scheme(r.constrain) ? r.constrain : "file";
  }
  add_class_weights(r.class_weights, record);
  if (o.objective == Objective::composite) record["block"] = o.block;
  if (o.observed_pieces) record["pieces"] = "observations";
  if (!r.kernel.empty()) record["kernel"] = r.kernel;
  if (!r.prior.empty()) record["prior"] = true;
  if (!r.init.empty()) record["init"] = true;
  if (!r.variances.empty()) record["variances"] = "file";
}

}  // namespace croft

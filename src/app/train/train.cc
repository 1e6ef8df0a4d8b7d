#include "croft/app/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

#include "app/file_checks.h"
#include "app/train/data_fit.h"
#include "app/train/feature_kit_file.h"
#include "app/train/holdout_score.h"
#include "app/train/train_files.h"
#include "core/atomic_file.h"
#include "croft/app/sequence_source.h"
#include "croft/core/interrupt.h"
#include "croft/core/json.h"
#include "croft/core/random.h"
#include "data/checks.h"

namespace croft {
namespace {

std::string read_file(const std::string& path) {
  const auto fail = [&](const char* what) {
    throw Error(path + ": cannot " + what + ": " + std::strerror(errno));
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) fail("open");
  std::string text;
  char block[4096];
  while (const std::size_t got = std::fread(block, 1, sizeof block, file.get())) {
    text.append(block, got);
  }
  if (std::ferror(file.get()) != 0) fail("read");
  return text;
}

// The hold-out as a fraction, when it is one.
std::optional<double> holdout_fraction(const std::string& holdout) {
  double value = 0;
  const char* end = holdout.data() + holdout.size();
  const auto [rest, error] = std::from_chars(holdout.data(), end, value);
  if (holdout.empty() || error != std::errc() || rest != end) return std::nullopt;
  if (!(value > 0 && value < 1)) {
    throw UsageError("--holdout " + holdout +
                     " is not between 0 and 1; give a fraction such as 0.1, or a file");
  }
  return value;
}

std::shared_ptr<const ChainModel> open_init(const TrainRequest& request) {
  const std::string& path = request.prior.empty() ? request.init : request.prior;
  if (path.empty()) return nullptr;
  auto init = ChainModel::open(path);
  init->container().verify();  // training would carry damage on into a file that looks sound
  check_init(*init, request.options);
  const InputFormat format = init->extractor().config().format;
  if (format != request.format) {
    throw UsageError(path + ": a model of --format " + std::string(format_name(format)) +
                     " cannot go on with --format " + std::string(format_name(request.format)));
  }
  return init;
}

// Sequences from the first file on, one after the other; the number of columns comes from the first
// row.
class TrainingFiles final : public TrainingInput {
 public:
  TrainingFiles(const TrainRequest& request, ExtractionConfig config, const TrainWatcher& watcher)
      : request_(request), watcher_(watcher) {
    if (needs_fit(config)) {
      for (const std::string& path : request.data) files_.emplace_back(path);
    }
    if (config.format == InputFormat::columns) {
      first_reader_.emplace(files_.empty() ? LineReader(request.data.front()) : files_[0].lines(),
                            request.spans);
      // Sequences without a token (of spans) do not say how many columns there are.
      for (bool found = next_rows();; ++sequences_, found = next_rows()) {
        if (!found) fail_no_sequences(first_reader_->name());
        if (first_rows_.rows() > 0) break;
      }
      require_labels(first_rows_, first_reader_->name());
      config.columns = first_reader_->columns() - 1;
      name_ = first_reader_->name();
    }
    if (needs_fit(config)) {
      fit_extraction(files_, request.csv.value_or(CsvOptions()), config, request.spans);
    }
    extractor_.emplace(std::move(config));
    if (!request.weights.empty()) weights_ = read_sequence_weights(request.weights);
  }
  const Extractor& extractor() const override { return *extractor_; }

  void read(const Visit& visit) override {
    std::size_t first = 0;
    if (first_reader_) {
      read_first_columns(visit);
      first = 1;
    }
    for (std::size_t k = first; k < request_.data.size(); ++k) {
      SequenceSource source(files_.empty() ? LineReader(request_.data[k]) : files_[k].lines(),
                            *extractor_, Labels::required, request_.spans);
      name_ = source.name();
      for_each_sequence(source, [&](InputSequence& sequence) { hand_on(sequence.text, visit); });
    }
    if (!weights_ || weights_->size() == sequences_) return;
    throw InputError(
        {request_.weights},
        fmt::format("{} weights, and {} sequences to train on", weights_->size(), sequences_), "",
        "write one weight a line for each sequence of the data, in its order");
  }

  void read_holdout(const Visit& visit) override {
    SequenceSource source(request_.holdout, *extractor_, Labels::required, request_.spans);
    for_each_sequence(source, [&](InputSequence& s) { visit(s.text, source.name()); });
  }

  void describe(Json& record) const override {
    if (request_.spans) record[kSpanFormat] = chunk_scheme_name(*request_.spans);
  }

 private:
  bool next_rows() {
    std::string line;
    return first_reader_->next(first_rows_, line);
  }

  void read_first_columns(const Visit& visit) {
    Extractor::Scratch scratch;
    TextSequence text;
    do {
      require_labels(first_rows_, first_reader_->name());
      extractor_->extract(first_rows_, true, scratch, text, name_);
      hand_on(text, visit);
    } while (next_rows());
  }

  void hand_on(TextSequence& text, const Visit& visit) {
    if (weights_) set_weight(text);
    check_sizes(text, name_);
    positions_ += text.length();
    visit(text, name_);
    if (++sequences_ % 1000 == 0 && watcher_.reading) watcher_.reading(positions_);
  }

  void set_weight(TextSequence& text) const {
    if (text.weight_given) {
      throw InputError({name_, text.first_line},
                       "a sequence with a weight of its own, beside --weights", "",
                       "delete its @weight, or do without " + request_.weights);
    }
    if (sequences_ < weights_->size()) text.weight = (*weights_)[sequences_];
  }

  std::string name_;  // of the file being read, for messages
  const TrainRequest& request_;
  const TrainWatcher& watcher_;
  std::optional<RowReader> first_reader_;
  ColumnSequence first_rows_;
  std::vector<RepeatableFile> files_;  // the data, where it was looked at before it is read
  std::optional<Extractor> extractor_;
  std::optional<std::vector<double>> weights_;  // by sequence, what is held out included
  std::size_t sequences_ = 0, positions_ = 0;
};

// What is said only where it makes a difference: the model of data in full is what it is without.
void add_special_data(const TrainRequest& request, const ChainTraining& training,
                      const TrainResult& result, Json& record) {
  if (!request.constrain.empty()) {
    record["constraint"] = names_a_scheme(request.constrain) ? request.constrain : "file";
  }
  if (training.partial_positions() > 0) record["partial_positions"] = training.partial_positions();
  if (training.total_weight() != static_cast<double>(training.sequences())) {
    record["total_weight"] = training.total_weight();
  }
  if (!request.class_weights.empty()) {
    record["class_weights"] = request.class_weights == "balanced" ? "balanced" : "file";
  }
  if (result.shared_transitions > 0) record["shared_transitions"] = result.shared_transitions;
  if (result.dropped_transitions > 0) record["dropped_transitions"] = result.dropped_transitions;
}

Json rounds_record(const FeatureRounds& rounds, const FeatureRoundsReport& report) {
  Json record = {{"rounds", report.rounds},
                 {"candidates", report.candidates},
                 {"added", report.added},
                 {"dropped", report.dropped}};
  if (rounds.select_l1) {
    record["kind"] = "selection";
    record["l1"] = *rounds.select_l1;
  }
  if (rounds.unsupported) {
    record["kind"] = "unsupported";
    record["threshold"] = rounds.unsupported->threshold;
  }
  if (rounds.induction) {
    record["kind"] = "induction";
    record["size"] = rounds.induction->size;
    record["conjunctions"] = report.conjunctions;
    if (rounds.induction->pairs) record["pairs"] = true;
  }
  return record;
}

Json training_record(const TrainRequest& request, const ExtractionConfig& extraction,
                     FeatureSet features, const ChainTraining& training,
                     const TrainResult& result) {
  const TrainOptions& options = request.options;
  const bool costs = info(options.objective).cost;
  Json record = {
      {"objective", info(options.objective).name},
      {"optimizer", info(training.method(options)).name},
      {"l1", options.regulariser.l1},
      {"l2", options.regulariser.l2},
      {"features", features == FeatureSet::all ? "all" : "observed"},
      {"min_count", options.min_count},
      {"precision", training.precision(options) == Precision::single ? "single" : "double"},
      {"seed", request.seed},
      {"sequences", training.sequences()},
      {"positions", training.positions()},
      {"attributes", training.attributes()},
      {"weights", result.dimension},
      {"nonzero_weights", result.active},
      {"iterations", result.optimization.iterations},
      {"evaluations", result.optimization.evaluations},
      {"objective_value", result.optimization.objective},
      {"gradient_norm", result.optimization.gradient_norm},
      {"stop", stop_reason_name(result.optimization.reason)}};
  if (extraction.intercept) {
    record["intercept"] = options.free_intercept ? "unpenalised" : "penalised";
  }
  if (result.holdout) {
    record["holdout"] = {{"sequences", training.holdout_sequences()},
                         {"token_accuracy", result.holdout->token_accuracy}};
    if (result.holdout->chunk_f1) record["holdout"]["chunk_f1"] = *result.holdout->chunk_f1;
  }
  if (result.best_iteration) record["kept_iteration"] = *result.best_iteration;
  if (result.active_set) {
    Json set = {{"rounds", result.active_set->rounds}, {"weights", result.active_set->trained}};
    if (result.active_set->largest_violation) {
      set["violation"] = *result.active_set->largest_violation;
    }
    record["active_set"] = std::move(set);
  }
  if (result.rounds) record["rounds"] = rounds_record(options.rounds, *result.rounds);
  if (costs) {
    const auto number = cost_number(request.cost.empty() ? "1" : request.cost);
    record["cost"] = number ? Json(*number) : Json("file");
  }
  add_special_data(request, training, result, record);
  if (options.objective == Objective::composite) record["block"] = options.block;
  if (!request.kernel.empty()) record["kernel"] = request.kernel;
  if (!request.prior.empty()) record["prior"] = true;
  if (!request.variances.empty()) record["variances"] = "file";
  if (options.order > 1) {
    record["order"] = options.order;
    record["histories"] = options.histories == HistorySet::allowed ? "allowed" : "seen";
  }
  return record;
}

// All of the data into `training`, what is held out apart.
void read_data(const TrainRequest& request, TrainingInput& input, ChainTraining& training) {
  if (std::optional<ChainEncoder> encoded = input.encoded()) {
    training.set_data(std::move(*encoded));
    return;
  }
  split_data(
      request, input,
      [&](TextSequence& sequence, const std::string& file) { training.add(sequence, file); },
      [&](const TextSequence& sequence) { training.add_holdout(sequence); });
}

}  // namespace

void check_request(const TrainRequest& request) {
  request.options.validate();
  check_method(request);
  check_class_weights(request, name_of(request.options.kind));
  if (request.options.rounds.any() && !request.checkpoint.empty()) {
    throw UsageError(
        "--checkpoint keeps the state of one optimizer, and with --induce, --unsupported and "
        "--select there are several, whose features differ: leave it out; Ctrl-C keeps the model "
        "of the features so far");
  }
  if (request.options.early_stop > 0 && request.holdout.empty()) {
    throw UsageError("--early-stop needs --holdout, to see when to stop");
  }
  const bool has_template = !request.template_path.empty() || !request.template_text.empty();
  if (has_template && request.format != InputFormat::columns) {
    throw UsageError(
        request.format == InputFormat::attributes
            ? "--template goes with --format columns; attribute lines hold the features themselves"
            : "--template goes with --format columns, and the format is " +
                  std::string(format_name(request.format)));
  }
  if (request.text) request.text->validate();
  if (request.csv) request.csv->validate();
  if (!has_template && request.language != TemplateLanguage::automatic) {
    throw UsageError("--template-language says how --template is read, and there is none");
  }
  if (!request.cost.empty() && !info(request.options.objective).cost) {
    throw UsageError(
        "--cost is what a mistake costs with --objective softmax-margin, max-margin, "
        "passive-aggressive or arow; " +
        std::string(info(request.options.objective).name) + " has no costs");
  }
  if (!request.prior.empty() && !request.init.empty()) {
    throw UsageError("--prior is also what training starts from: leave out --init");
  }
  if (request.resume && request.checkpoint.empty()) {
    throw UsageError("--resume goes on from a checkpoint; name its folder with --checkpoint");
  }
  if (request.checkpoint_interval != kCheckpointInterval && request.checkpoint.empty()) {
    throw UsageError(
        "--checkpoint-interval is the time between two states that --checkpoint keeps; name its "
        "folder, or leave it out");
  }
  if (request.partial &&
      request.partial->any.find(request.partial->separator) != std::string::npos) {
    throw UsageError("--partial-separator " + std::string(1, request.partial->separator) +
                     " is part of " + in_quotes(request.partial->any) + ", which is any label");
  }
  holdout_fraction(request.holdout);  // one that is out of range is refused
}

void split_data(const TrainRequest& request, TrainingInput& input, const TrainingInput::Visit& keep,
                const std::function<void(const TextSequence&)>& hold_out) {
  const auto fraction = holdout_fraction(request.holdout);
  Random random(request.seed);
  std::size_t kept = 0, held_out = 0, scored = 0;  // sequences, and positions of the hold-out
  const auto set_aside = [&](const TextSequence& sequence, const std::string& file) {
    scored +=
        request.partial ? count_single_labels(sequence, file, *request.partial) : sequence.length();
    held_out += sequence.length() > 0;
    hold_out(sequence);
  };
  // A column of a new kit that no attribute is of would be one misspelt.
  const ExtractionConfig& config = input.extractor().config();
  const bool by_name =
      !request.kit.empty() && config.kit &&
      (config.format == InputFormat::attributes || config.format == InputFormat::svmlight);
  std::vector<bool> seen;
  bool all_seen = !by_name;
  input.read([&](TextSequence& sequence, const std::string& file) {
    if (!all_seen) all_seen = config.kit->find_columns(sequence, seen);
    if (fraction && random.uniform() < *fraction) {
      set_aside(sequence, file);
    } else {
      kept += sequence.length() > 0;
      keep(sequence, file);
    }
  });
  if (!all_seen) config.kit->require_columns(seen);
  if (!request.holdout.empty() && !fraction) input.read_holdout(set_aside);
  if (fraction && held_out == 0) {
    throw Error("the hold-out fraction " + request.holdout + " of " + std::to_string(kept) +
                " sequences is none; give a larger one");
  }
  if (held_out > 0 && scored == 0) {
    throw Error("no position of the hold-out " + request.holdout +
                " has one label to compare with; hold out sequences whose labels are known");
  }
}

std::unique_ptr<TrainingInput> open_training_files(const TrainRequest& request,
                                                   ExtractionConfig config,
                                                   const TrainWatcher& watcher) {
  return std::make_unique<TrainingFiles>(request, std::move(config), watcher);
}

namespace {

// A model to go on from has its own way.
void set_features(const TrainRequest& request, const ChainModel* init, ExtractionConfig& config) {
  if (init == nullptr) {
    config.text = request.text.value_or(TextOptions());
    if (!request.stop_words.empty()) {
      config.text.tokenizer.stop_words = read_stop_words(request.stop_words);
    }
    config.text.validate();
    return;
  }
  if (request.text || request.csv) {
    throw UsageError("the model to go on from says how its data becomes features; leave out the " +
                     ("options of --format " + std::string(format_name(request.format))));
  }
  const ExtractionConfig& known = init->extractor().config();
  config.text = known.text;
  if (known.terms) config.terms = known.terms->owning();
  config.csv = known.csv;
}

std::shared_ptr<const FeatureKit> make_kit(const TrainRequest& request, const ChainModel* init) {
  const bool has_one = init != nullptr && init->extractor().config().kit != nullptr;
  if (request.kit.empty()) return has_one ? init->extractor().config().kit->owning() : nullptr;
  if (has_one) {
    throw UsageError("the model to go on from has a feature kit; leave out --kit " + request.kit);
  }
  return read_feature_kit(request.kit);
}

}  // namespace

ExtractionConfig make_extraction(const TrainRequest& request, const ChainModel* init) {
  ExtractionConfig config;
  config.format = request.format;
  config.boundaries = request.boundaries;
  // The default features for words have one of their own.
  const bool words = request.format == InputFormat::columns && request.template_path.empty() &&
                     request.template_text.empty();
  const bool by_default = init != nullptr ? init->extractor().config().intercept
                                          : request.options.kind == ChainKind::maxent && !words;
  if (init != nullptr && request.intercept && *request.intercept != by_default) {
    throw UsageError("the model to go on from " + std::string(by_default ? "has" : "has no") +
                     " intercept: leave out --intercept and --no-intercept");
  }
  config.intercept = request.intercept.value_or(by_default);
  if (init != nullptr) config.conjunctions = init->extractor().config().conjunctions;
  config.kit = make_kit(request, init);
  if (config.format != InputFormat::columns) {
    set_features(request, init, config);
    return config;
  }
  if (!request.template_path.empty() || !request.template_text.empty()) {
    const bool file = !request.template_path.empty();
    config.template_text = file ? read_file(request.template_path) : request.template_text;
    config.template_name = file ? request.template_path : "the template";
    config.language = request.language;
    if (config.template_text.find_first_not_of(" \t\r\n") == std::string::npos) {
      throw Error(config.template_name + ": this template is empty; without --template a " +
                  "default set of features for words is used");
    }
  } else if (init != nullptr && init->extractor().has_template()) {
    const bool intercept = config.intercept;
    const auto kit = config.kit;
    config = init->extractor().config();
    config.kit = kit;
    config.boundaries = config.boundaries || request.boundaries;
    config.intercept = intercept;
  }
  return config;
}

TrainedModel train_on(const TrainRequest& asked, TrainingInput& input,
                      std::shared_ptr<const ChainModel> init, const TrainWatcher& watcher,
                      CheckpointFolder* checkpoints) {
  const TrainRequest request = with_defaults(asked);
  check_request(request);
  const Extractor& extractor = input.extractor();
  ChainTraining training(extractor, std::move(init), request.options.kind);
  if (request.partial) training.read_partial_labels(*request.partial);
  TrainOptions options = read_options(request);
  options.checkpoints = checkpoints;
  options.on_round = watcher.round;
  read_data(request, input, training);

  options.features =
      request.features.value_or(extractor.has_template() ? FeatureSet::all : FeatureSet::observed);
  if (watcher.data_read) {
    watcher.data_read({training.sequences(), training.positions(), training.labels(),
                       training.attributes(), training.holdout_sequences(),
                       training.partial_positions(), options.features,
                       request.format == InputFormat::columns && !extractor.has_template()});
  }
  TrainedModel trained;
  trained.result = training.run(
      options,
      [&](const auto& predicted) {
        const HoldoutText holdout = [&](std::size_t n) -> const TextSequence& {
          return training.holdout(n);
        };
        return score_holdout(holdout, predicted, request.partial);
      },
      [&](const TrainProgress& progress) {
        return !watcher.iteration || watcher.iteration(progress);
      });
  Json record =
      training_record(request, extractor.config(), options.features, training, trained.result);
  input.describe(record);
  input.trained(training);
  trained.model = training.model(record);
  return trained;
}

TrainResult train_model(const TrainRequest& asked, const TrainWatcher& watcher) {
  const TrainRequest request = with_defaults(asked);
  check_request(request);
  check_files(input_files(request), request.output);
  // Created and removed: what forbids writing the model is known before the work, not after it.
  AtomicFile{request.output};
  std::optional<CheckpointFolder> checkpoints;
  if (!request.checkpoint.empty()) {
    checkpoints.emplace(request.checkpoint, request.resume,
                        std::chrono::duration<double>(request.checkpoint_interval));
  }
  try {
    auto init = open_init(request);
    TrainingFiles files(request, make_extraction(request, init.get()), watcher);
    const TrainedModel trained =
        train_on(request, files, std::move(init), watcher, checkpoints ? &*checkpoints : nullptr);
    trained.model.write(request.output);
    if (checkpoints && !interruption) checkpoints->remove();
    return trained.result;
  } catch (const Interrupted& reason) {
    throw Interrupted(std::string(reason.what()) + "; there is no model to keep yet");
  }
}

}  // namespace croft

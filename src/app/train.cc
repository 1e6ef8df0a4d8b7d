#include "croft/app/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "croft/app/evaluation.h"
#include "croft/app/sequence_source.h"
#include "croft/core/atomic_file.h"
#include "croft/core/interrupt.h"
#include "croft/core/random.h"
#include "croft/data/checks.h"

namespace croft {
namespace {

using nlohmann::json;

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

const char* format_name(InputFormat format) {
  return format == InputFormat::attributes ? "attributes" : "columns";
}

// Options that contradict each other, or that nothing would take notice of.
// Files that are read, by their options.
std::vector<std::string> inputs_of(const TrainRequest& request) {
  std::vector<std::string> inputs = request.data;
  for (const std::string& path : {request.template_path, request.holdout}) {
    if (!path.empty()) inputs.push_back(path);
  }
  return inputs;
}

// The model must not replace what it is made from, and a stream can be read only once.
void check_files(const TrainRequest& request) {
  const std::vector<std::string> inputs = inputs_of(request);
  for (const std::string& input : inputs) {
    std::error_code none;
    if (input == request.output || std::filesystem::equivalent(input, request.output, none)) {
      throw UsageError("--output " + request.output + " would replace the input " + input +
                       "; give the model another name");
    }
  }
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    throw UsageError("standard input (-) is named twice; it can be read only once");
  }
}

void check_options(const TrainRequest& request) {
  request.options.validate();
  if (request.options.early_stop > 0 && request.holdout.empty()) {
    throw UsageError("--early-stop needs --holdout, to see when to stop");
  }
  const bool has_template = !request.template_path.empty();
  if (has_template && request.format == InputFormat::attributes) {
    throw UsageError(
        "--template goes with --format columns; attribute lines hold the features themselves");
  }
  if (!has_template && request.language != TemplateLanguage::automatic) {
    throw UsageError("--template-language says how --template is read, and there is none");
  }
  holdout_fraction(request.holdout);  // one that is out of range is refused
  check_files(request);
}

std::shared_ptr<const ChainModel> open_init(const TrainRequest& request) {
  if (request.init.empty()) return nullptr;
  auto init = ChainModel::open(request.init);
  init->container().verify();  // training would carry damage on into a file that looks sound
  const InputFormat format = init->extractor().config().format;
  if (format != request.format) {
    throw UsageError("--init " + request.init + ": a model of --format " + format_name(format) +
                     " cannot go on with --format " + format_name(request.format));
  }
  return init;
}

// How the data becomes strings.  A columns file must be opened to know how many it has.
ExtractionConfig make_extraction(const TrainRequest& request, const ChainModel* init) {
  ExtractionConfig config;
  config.format = request.format;
  config.boundaries = request.boundaries;
  if (config.format == InputFormat::attributes) return config;
  if (!request.template_path.empty()) {
    config.template_text = read_file(request.template_path);
    config.template_name = request.template_path;
    config.language = request.language;
    if (config.template_text.find_first_not_of(" \t\r\n") == std::string::npos) {
      throw Error(request.template_path + ": this template file is empty; without --template a " +
                  "default set of features for words is used");
    }
  } else if (init != nullptr && init->extractor().has_template()) {
    config = init->extractor().config();
    config.boundaries = config.boundaries || request.boundaries;
  }
  return config;
}

// Sequences from the first file on, one after the other; the number of columns comes from the first
// row.
class TrainingReader {
 public:
  TrainingReader(const TrainRequest& request, ExtractionConfig config, const TrainWatcher& watcher)
      : request_(request), watcher_(watcher) {
    if (config.format == InputFormat::columns) {
      first_reader_.emplace(LineReader(request.data.front()));
      if (!first_reader_->next(first_rows_)) fail_no_sequences(first_reader_->name());
      require_labels(first_rows_, first_reader_->name());
      config.columns = first_reader_->columns() - 1;
    }
    extractor_.emplace(std::move(config));
  }
  const Extractor& extractor() const { return *extractor_; }

  // visit(sequence) for each labelled sequence of all files.
  template <class Visit>
  void read(const Visit& visit) {
    std::size_t first = 0;
    if (first_reader_) {
      read_first_columns(visit);
      first = 1;
    }
    for (std::size_t k = first; k < request_.data.size(); ++k) {
      SequenceSource source(request_.data[k], *extractor_, Labels::required);
      name_ = source.name();
      for_each_sequence(source, [&](InputSequence& sequence) { hand_on(sequence.text, visit); });
    }
  }

 private:
  template <class Visit>
  void read_first_columns(const Visit& visit) {
    Extractor::Scratch scratch;
    TextSequence text;
    do {
      require_labels(first_rows_, first_reader_->name());
      extractor_->extract(first_rows_, true, scratch, text);
      hand_on(text, visit);
    } while (first_reader_->next(first_rows_));
  }

  template <class Visit>
  void hand_on(TextSequence& text, const Visit& visit) {
    check_sizes(text);
    positions_ += text.length();
    visit(text);
    if (++sequences_ % 1000 == 0 && watcher_.reading) watcher_.reading(positions_);
  }

  // Scores are sums of value times weight in single precision: far larger numbers than these
  // overflow.
  void check_sizes(const TextSequence& text) const {
    constexpr double kLargest = 1e15;
    const auto fail = [&](double number, const char* what) {
      throw InputError({name_, text.first_line, 0},
                       std::string(what) + " of more than 1e15 in the sequence that begins here",
                       fmt::format("{}", number), "scale it down; values near 1 train best");
    };
    if (text.weight > kLargest) fail(text.weight, "a weight");
    if (text.node.all_values_are_one()) return;
    for (std::size_t k = 0; k < text.node.items(); ++k) {
      if (std::abs(text.node.value(k)) > kLargest) fail(text.node.value(k), "an attribute value");
    }
  }

  std::string name_;  // of the file being read, for messages
  const TrainRequest& request_;
  const TrainWatcher& watcher_;
  std::optional<ColumnsReader> first_reader_;
  ColumnSequence first_rows_;
  std::optional<Extractor> extractor_;
  std::size_t sequences_ = 0, positions_ = 0;
};

HoldoutScore score_holdout(const ChainTraining& training,
                           const std::vector<std::vector<std::string_view>>& predicted) {
  Evaluation evaluation;
  for (std::size_t n = 0; n < predicted.size(); ++n) {
    std::vector<std::string_view> gold;
    const TextSequence& text = training.holdout(n);
    for (std::size_t t = 0; t < text.length(); ++t) gold.push_back(text.labels.item(t));
    evaluation.add(gold, predicted[n]);
  }
  const EvaluationSummary summary = evaluation.summary();
  HoldoutScore score{.token_accuracy = summary.token_accuracy(), .chunk_f1 = std::nullopt};
  if (summary.chunk) score.chunk_f1 = summary.chunk->all.f1();
  return score;
}

json training_record(const TrainRequest& request, FeatureSet features,
                     const ChainTraining& training, const TrainResult& result) {
  const TrainOptions& options = request.options;
  json record = {{"objective", "likelihood"},
                 {"optimizer", options.regulariser.l1 > 0 ? "owlqn" : "lbfgs"},
                 {"l1", options.regulariser.l1},
                 {"l2", options.regulariser.l2},
                 {"features", features == FeatureSet::all ? "all" : "observed"},
                 {"min_count", options.min_count},
                 {"precision", options.precision == Precision::single ? "single" : "double"},
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
  if (result.holdout) {
    record["holdout"] = {{"sequences", training.holdout_sequences()},
                         {"token_accuracy", result.holdout->token_accuracy}};
    if (result.holdout->chunk_f1) record["holdout"]["chunk_f1"] = *result.holdout->chunk_f1;
  }
  if (result.best_iteration) record["kept_iteration"] = *result.best_iteration;
  return record;
}

// All of the data into `training`, what is held out apart.
void read_data(const TrainRequest& request, TrainingReader& reader, ChainTraining& training) {
  const auto fraction = holdout_fraction(request.holdout);
  Random random(request.seed);
  reader.read([&](TextSequence& sequence) {
    if (fraction && random.uniform() < *fraction) {
      training.add_holdout(sequence);
    } else {
      training.add(sequence);
    }
  });
  if (!request.holdout.empty() && !fraction) {
    SequenceSource source(request.holdout, reader.extractor(), Labels::required);
    for_each_sequence(source, [&](InputSequence& s) { training.add_holdout(s.text); });
  }
  if (fraction && training.holdout_sequences() == 0) {
    throw Error("the hold-out fraction " + request.holdout + " of " +
                std::to_string(training.sequences()) + " sequences is none; give a larger one");
  }
}

TrainResult read_and_train(const TrainRequest& request, const TrainWatcher& watcher) {
  const auto init = open_init(request);
  TrainingReader reader(request, make_extraction(request, init.get()), watcher);
  ChainTraining training(reader.extractor(), init);
  read_data(request, reader, training);

  TrainOptions options = request.options;
  options.features = request.features.value_or(
      reader.extractor().has_template() ? FeatureSet::all : FeatureSet::observed);
  if (watcher.data_read) {
    watcher.data_read(
        {training.sequences(), training.positions(), training.labels(), training.attributes(),
         training.holdout_sequences(), options.features,
         request.format == InputFormat::columns && !reader.extractor().has_template()});
  }
  const TrainResult result = training.run(
      options, [&](const auto& predicted) { return score_holdout(training, predicted); },
      [&](const TrainProgress& progress) {
        return !watcher.iteration || watcher.iteration(progress);
      });
  training.model(training_record(request, options.features, training, result))
      .write(request.output);
  return result;
}

}  // namespace

TrainResult train_model(const TrainRequest& request, const TrainWatcher& watcher) {
  check_options(request);
  // Created and removed: what forbids writing the model is known before the work, not after it.
  AtomicFile{request.output};
  try {
    return read_and_train(request, watcher);
  } catch (const Interrupted& reason) {
    throw Interrupted(std::string(reason.what()) + "; there is no model to keep yet");
  }
}

}  // namespace croft

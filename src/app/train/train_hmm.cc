#include "app/train/train_hmm.h"

#include "app/file_checks.h"
#include "core/atomic_file.h"
#include "croft/app/sequence_source.h"
#include "croft/core/interrupt.h"
#include "croft/core/json.h"
#include "data/checks.h"

namespace croft {
namespace {

void check_request(const HmmRequest& request) {
  request.options.validate();
  if (request.format != InputFormat::columns && request.format != InputFormat::attributes) {
    throw UsageError("a hidden Markov model has sequences: --format is columns or attributes");
  }
  std::vector<std::string> inputs = request.data;
  inputs.insert(inputs.end(), request.unlabelled.begin(), request.unlabelled.end());
  check_files(inputs, request.output);
}

// The files of a request, in order, the unlabelled ones last.
class HmmFiles final : public TrainingInput {
 public:
  HmmFiles(const HmmRequest& request, const HmmWatcher& watcher)
      : request_(request), watcher_(watcher) {
    std::size_t columns = 0;
    if (request.format == InputFormat::columns) {
      first_reader_.emplace(LineReader(request.data.front()));
      if (!first_reader_->next(first_rows_)) fail_no_sequences(first_reader_->name());
      if (!all_observed()) require_labels(first_rows_, first_reader_->name());
      columns = first_reader_->columns() - (all_observed() ? 0 : 1);
    }
    extractor_.emplace(hmm_extraction(request.format, columns));
  }
  const Extractor& extractor() const override { return *extractor_; }

  void read(const Visit& visit) override {
    std::size_t first = 0;
    if (first_reader_) {
      read_first_columns(visit);
      first = 1;
    }
    for (std::size_t k = first; k < request_.data.size(); ++k) {
      const bool any = all_observed() || request_.format == InputFormat::attributes;
      read_source(request_.data[k], any ? Labels::optional : Labels::required, all_observed(),
                  visit);
    }
    for (const std::string& path : request_.unlabelled) {
      read_source(path, Labels::optional, true, visit);
    }
  }
  void read_holdout(const Visit&) override {}

 private:
  bool all_observed() const {
    return request_.format == InputFormat::columns && request_.options.states > 0 &&
           !request_.partial;
  }

  void read_first_columns(const Visit& visit) {
    Extractor::Scratch scratch;
    TextSequence text;
    do {
      extractor_->extract(first_rows_, !all_observed(), scratch, text);
      hand_on(text, first_reader_->name(), visit);
    } while (first_reader_->next(first_rows_));
  }

  void read_source(const std::string& path, Labels labels, bool drop_labels, const Visit& visit) {
    SequenceSource source(path, *extractor_, labels);
    for_each_sequence(source, [&](InputSequence& sequence) {
      if (drop_labels) sequence.text.labels.clear();
      hand_on(sequence.text, source.name(), visit);
    });
  }

  void hand_on(TextSequence& text, const std::string& name, const Visit& visit) {
    check_sizes(text, name);
    positions_ += text.length();
    visit(text, name);
    if (++sequences_ % 1000 == 0 && watcher_.reading) watcher_.reading(positions_);
  }

  const HmmRequest& request_;
  const HmmWatcher& watcher_;
  std::optional<ColumnsReader> first_reader_;
  ColumnSequence first_rows_;
  std::optional<Extractor> extractor_;
  std::size_t sequences_ = 0, positions_ = 0;
};

Json training_record(const HmmOptions& options, const HmmTraining& training,
                     const HmmResult& result) {
  Json record = {{"smoothing", options.smoothing.emission},
                 {"transition_smoothing", options.smoothing.transition},
                 {"end", options.smoothing.end},
                 {"rare", options.unknown.rare},
                 {"suffix", options.unknown.suffix},
                 {"sequences", training.sequences()},
                 {"positions", training.positions()},
                 {"values", training.values()},
                 {"parameters", result.parameters},
                 {"log_likelihood", result.log_likelihood},
                 {"objective_value", result.objective}};
  if (training.hidden_positions() > 0) {
    record["hidden_positions"] = training.hidden_positions();
    record["em_iterations"] = options.em_iterations;
    record["tolerance"] = options.tolerance;
    if (options.starts > 0) record["starts"] = options.starts;
    record["seed"] = options.seed;
    record["iterations"] = result.iterations;
    record["converged"] = result.converged;
    record["kept_start"] = result.start;
  }
  if (options.states > 0) record["states"] = options.states;
  return record;
}

}  // namespace

ExtractionConfig hmm_extraction(InputFormat format, std::size_t columns) {
  ExtractionConfig config;
  config.format = format;
  if (format != InputFormat::columns) return config;
  config.columns = columns;
  config.language = TemplateLanguage::crfpp;
  config.template_name = "the columns as observations";
  for (std::size_t c = 0; c < columns; ++c) {
    const std::string column = std::to_string(c);
    config.template_text += "U" + column + "=%x[0," + column + "]\n";
  }
  return config;
}

TrainedHmm train_hmm_on(const HmmRequest& request, TrainingInput& input,
                        const HmmWatcher& watcher) {
  request.options.validate();
  HmmTraining training(input.extractor());
  if (request.partial) training.read_partial_labels(*request.partial);
  input.read([&](TextSequence& sequence, const std::string& file) {
    if (sequence.has_labels()) {
      training.add(sequence, file);
    } else {
      training.add_unlabelled(sequence, file);
    }
  });
  if (watcher.data_read) {
    watcher.data_read({.sequences = training.sequences(),
                       .positions = training.positions(),
                       .hidden = training.hidden_positions(),
                       .values = training.values()});
  }
  TrainedHmm trained;
  trained.result = training.run(request.options, watcher.iteration);
  Json record = training_record(request.options, training, trained.result);
  input.describe(record);
  trained.model = training.model(record);
  return trained;
}

HmmResult train_hmm(const HmmRequest& request, const HmmWatcher& watcher) {
  check_request(request);
  // Created and removed: what forbids writing the model is known before the work, not after it.
  AtomicFile{request.output};
  try {
    HmmFiles files(request, watcher);
    const TrainedHmm trained = train_hmm_on(request, files, watcher);
    trained.model.write(request.output);
    return trained.result;
  } catch (const Interrupted& reason) {
    throw Interrupted(std::string(reason.what()) + "; there is no model to keep yet");
  }
}

HmmOptions hmm_options(const Json& training) {
  HmmOptions options;
  options.smoothing.emission = training.value("smoothing", options.smoothing.emission);
  options.smoothing.transition =
      training.value("transition_smoothing", options.smoothing.transition);
  options.smoothing.end = training.value("end", options.smoothing.end);
  options.unknown.rare = training.value("rare", options.unknown.rare);
  options.unknown.suffix = training.value("suffix", options.unknown.suffix);
  options.states = training.value("states", options.states);
  options.em_iterations = training.value("em_iterations", options.em_iterations);
  options.tolerance = training.value("tolerance", options.tolerance);
  options.starts = training.value("starts", options.starts);
  options.seed = training.value("seed", options.seed);
  return options;
}

}  // namespace croft

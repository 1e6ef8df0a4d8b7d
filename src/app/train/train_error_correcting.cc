#include "app/train/train_error_correcting.h"

#include "app/file_checks.h"
#include "app/train/train_files.h"
#include "core/atomic_file.h"
#include "croft/core/interrupt.h"
#include "croft/core/json.h"
#include "data/settings/code_file.h"

namespace croft {
namespace {

Json training_record(const CodeRequest& request, const TrainOptions& options,
                     const CodeTraining& training, const CodeTraining::Result& result) {
  return {{"objective", info(options.objective).name},
          {"optimizer", info(*options.method).name},
          {"l1", options.regulariser.l1},
          {"l2", options.regulariser.l2},
          {"features", options.features == FeatureSet::all ? "all" : "observed"},
          {"min_count", options.min_count},
          {"seed", options.seed},
          {"code", request.code.words.empty() ? request.code.code : "file"},
          {"bits", result.bits},
          {"planned_bits", result.planned},
          {"trained_bits", result.trained},
          {"converged_bits", result.converged},
          {"distance", result.distance.least},
          {"sequences", training.sequences()},
          {"positions", training.positions()},
          {"attributes", training.attributes()},
          {"weights", result.weights},
          {"iterations", result.iterations},
          {"objective_value", result.objective},
          {"stop", result.stopped ? "stopped" : "done"}};
}

// What only minimum-loss looks at.
void check_holdout(const CodeRequest& request) {
  if (request.train.holdout.empty() || request.code.code.starts_with("minimum-loss")) return;
  throw UsageError(
      "--holdout is what --code minimum-loss chooses its bits by; leave it out, and evaluate the "
      "model afterwards");
}

}  // namespace

TrainRequest with_code_defaults(TrainRequest request) {
  TrainOptions& o = request.options;
  if (!o.method && o.objective == Objective::likelihood) {
    o.method = o.regulariser.l1 > 0 ? Method::owlqn : Method::lbfgs;
  }
  request = with_defaults(std::move(request));
  if (!request.options.method) {
    request.options.method = default_method(request.options.objective, request.options.regulariser);
  }
  return request;
}

TrainedCode train_error_correcting_on(const CodeRequest& asked, TrainingInput& input,
                                      const CodeWatcher& watcher, CheckpointFolder* checkpoints) {
  CodeRequest request = asked;
  request.train = with_code_defaults(request.train);
  check_request(request.train);
  request.code.validate();
  check_holdout(request);
  TrainOptions options = read_options(request.train);
  options.checkpoints = checkpoints;
  const Extractor& extractor = input.extractor();
  options.features = request.train.features.value_or(
      extractor.has_template() ? FeatureSet::all : FeatureSet::observed);
  CodeTraining training(extractor);
  if (request.train.partial) training.read_partial_labels(*request.train.partial);
  std::vector<TextSequence> held_out;
  split_data(
      request.train, input,
      [&](TextSequence& sequence, const std::string& file) { training.add(sequence, file); },
      [&](const TextSequence& sequence) { held_out.push_back(sequence); });
  for (const TextSequence& each : held_out) training.add_holdout(each, request.train.holdout);
  if (watcher.data_read) {
    watcher.data_read({training.sequences(), training.positions(), training.labels(),
                       training.attributes(), training.holdout_sequences(),
                       training.partial_positions(), options.features,
                       request.train.format == InputFormat::columns && !extractor.has_template()});
  }
  TrainedCode trained;
  trained.result = training.run(options, request.code, watcher.bit, watcher.stop);
  Json record = training_record(request, options, training, trained.result);
  input.describe(record);
  trained.model = training.model(record);
  return trained;
}

CodeTraining::Result train_error_correcting(const CodeRequest& asked, const CodeWatcher& watcher) {
  CodeRequest request = asked;
  request.train = with_code_defaults(request.train);
  check_request(request.train);
  if (request.code_path.empty()) request.code.validate();
  check_holdout(request);
  std::vector<std::string> inputs = input_files(request.train);
  inputs.push_back(request.code_path);
  check_files(inputs, request.train.output);
  // Created and removed: what forbids writing the model is known before the work, not after it.
  AtomicFile{request.train.output};
  std::optional<CheckpointFolder> checkpoints = open_checkpoints(request.train);
  try {
    if (!request.code_path.empty()) {
      LineReader lines(request.code_path);
      request.code.words = read_code_file(lines);
    }
    const TrainWatcher reading{.data_read = {}, .reading = watcher.reading, .iteration = {}};
    const auto files =
        open_training_files(request.train, make_extraction(request.train, nullptr), reading);
    const TrainedCode trained =
        train_error_correcting_on(request, *files, watcher, checkpoints ? &*checkpoints : nullptr);
    trained.model.write(request.train.output);
    if (checkpoints && !interruption) checkpoints->remove();
    return trained.result;
  } catch (const Interrupted& reason) {
    throw Interrupted(std::string(reason.what()) + "; there is no model to keep yet");
  }
}

}  // namespace croft

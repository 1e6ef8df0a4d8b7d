#include "app/train/train_hidden_chain.h"

#include "app/file_checks.h"
#include "app/train/holdout_score.h"
#include "app/train/train_files.h"
#include "core/atomic_file.h"
#include "croft/core/interrupt.h"
#include "croft/core/json.h"

namespace croft {
namespace {

Json training_record(const HiddenChainRequest& request, const TrainOptions& options,
                     const HiddenChainTraining& training,
                     const HiddenChainTraining::Result& result) {
  const TrainResult& train = result.train;
  const auto precision = training.precision(options, request.hidden);
  Json record = {{"objective", info(options.objective).name},
                 {"optimizer", info(training.method(options)).name},
                 {"l1", options.regulariser.l1},
                 {"l2", options.regulariser.l2},
                 {"features", options.features == FeatureSet::all ? "all" : "observed"},
                 {"min_count", options.min_count},
                 {"precision", precision == Precision::single ? "single" : "double"},
                 {"seed", options.seed},
                 {"states", result.states},
                 {"training", request.hidden.em_iterations ? "em" : "gradient"},
                 {"start_deviation", request.hidden.start_deviation},
                 {"start_objectives", result.objectives},
                 {"kept_start", result.kept_start},
                 {"sequences", training.sequences()},
                 {"positions", training.positions()},
                 {"attributes", training.attributes()},
                 {"weights", train.dimension},
                 {"nonzero_weights", train.active},
                 {"iterations", train.optimization.iterations},
                 {"evaluations", train.optimization.evaluations},
                 {"objective_value", train.optimization.objective},
                 {"gradient_norm", train.optimization.gradient_norm},
                 {"stop", stop_reason_name(train.optimization.reason)}};
  if (!request.train.constrain.empty()) {
    const std::string& constrain = request.train.constrain;
    record["constraint"] = names_a_scheme(constrain) ? constrain : "file";
  }
  if (training.total_weight() != static_cast<double>(training.sequences())) {
    record["total_weight"] = training.total_weight();
  }
  if (train.holdout) {
    record["holdout"] = {{"sequences", training.holdout_sequences()},
                         {"token_accuracy", train.holdout->token_accuracy}};
    if (train.holdout->chunk_f1) record["holdout"]["chunk_f1"] = *train.holdout->chunk_f1;
  }
  if (train.best_iteration) record["kept_iteration"] = *train.best_iteration;
  return record;
}

// By the optimizer that a hidden chain has by default, which starts from weights.
void check_hidden_chain(const HiddenChainRequest& request) {
  const TrainOptions& o = request.train.options;
  request.hidden.validate();
  if (o.objective == Objective::likelihood) {
    MethodChoice choice = o.choice(true, 0);
    choice.by_default = !o.method;
    check_choice(choice);
  }
  check_request(request.train);
}

}  // namespace

TrainedHiddenChain train_hidden_chain_on(const HiddenChainRequest& asked, TrainingInput& input,
                                         const HiddenChainWatcher& watcher,
                                         CheckpointFolder* checkpoints) {
  HiddenChainRequest request = asked;
  request.train = with_defaults(request.train);
  check_hidden_chain(request);
  TrainOptions options = read_options(request.train);
  options.checkpoints = checkpoints;
  const Extractor& extractor = input.extractor();
  options.features = request.train.features.value_or(
      extractor.has_template() ? FeatureSet::all : FeatureSet::observed);
  HiddenChainTraining training(extractor);
  if (request.train.partial) training.read_partial_labels(*request.train.partial);
  split_data(
      request.train, input,
      [&](TextSequence& sequence, const std::string& file) { training.add(sequence, file); },
      [&](const TextSequence& sequence) { training.add_holdout(sequence); });
  const std::size_t partial = training.partial_positions();
  if (watcher.data_read) {
    watcher.data_read({training.sequences(), training.positions(), training.labels(),
                       training.attributes(), training.holdout_sequences(), partial,
                       options.features,
                       request.train.format == InputFormat::columns && !extractor.has_template()});
  }
  TrainedHiddenChain trained;
  const HoldoutText holdout = [&](std::size_t n) -> const TextSequence& {
    return training.holdout(n);
  };
  trained.result = training.run(
      options, request.hidden,
      [&](const auto& predicted) {
        return score_holdout(holdout, predicted, request.train.partial);
      },
      watcher.iteration);
  Json record = training_record(request, options, training, trained.result);
  if (partial > 0) record["partial_positions"] = partial;
  input.describe(record);
  trained.model = training.model(record);
  return trained;
}

HiddenChainTraining::Result train_hidden_chain(const HiddenChainRequest& request,
                                               const HiddenChainWatcher& watcher) {
  check_hidden_chain({with_defaults(request.train), request.hidden});
  check_files(input_files(request.train), request.train.output);
  // Created and removed: what forbids writing the model is known before the work, not after it.
  AtomicFile{request.train.output};
  std::optional<CheckpointFolder> checkpoints = open_checkpoints(request.train);
  try {
    const TrainWatcher reading{.data_read = {}, .reading = watcher.reading, .iteration = {}};
    const auto files =
        open_training_files(request.train, make_extraction(request.train, nullptr), reading);
    const TrainedHiddenChain trained =
        train_hidden_chain_on(request, *files, watcher, checkpoints ? &*checkpoints : nullptr);
    trained.model.write(request.train.output);
    if (checkpoints && !interruption) checkpoints->remove();
    return trained.result;
  } catch (const Interrupted& reason) {
    throw Interrupted(std::string(reason.what()) + "; there is no model to keep yet");
  }
}

}  // namespace croft

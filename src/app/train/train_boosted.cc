#include "app/train/train_boosted.h"

#include <chrono>
#include <memory>

#include "app/file_checks.h"
#include "app/train/holdout_score.h"
#include "app/train/train_files.h"
#include "core/atomic_file.h"
#include "croft/core/interrupt.h"
#include "croft/core/json.h"

namespace croft {
namespace {

// What the other kinds' trainer is told of the same request.
TrainRequest shared_request(const BoostedRequest& request) {
  TrainRequest shared = request.train;
  // Trees need no constant beside their own.
  if (!shared.intercept) shared.intercept = false;
  shared.options.kind = request.kind == kBoostedMaxent ? ChainKind::maxent : ChainKind::chain;
  shared.options.early_stop = request.options.early_stop;
  return with_defaults(shared);
}

Json tree_record(const BoostingOptions& options, const BoostingResult& result) {
  return {{"trees", result.sharing == TreeSharing::shared ? "shared" : "label"},
          {"shrinkage", options.shrinkage},
          {"depth", options.tree.depth},
          {"leaves", options.tree.leaves},
          {"l2", options.tree.l2},
          {"min_child_weight", options.tree.min_child_weight},
          {"min_child_count", options.tree.min_child_count},
          {"min_gain", options.tree.min_gain},
          {"row_share", options.row_share},
          {"feature_share", options.tree.feature_share},
          {"trim", options.trim},
          {"bins", options.bins},
          {"pair_trees", options.pair_trees}};
}

Json training_record(const BoostedRequest& request, const Boosting& training,
                     const BoostingResult& result) {
  Json record = tree_record(request.options, result);
  record.update({{"objective", "likelihood"},
                 {"seed", request.train.seed},
                 {"sequences", training.sequences()},
                 {"positions", training.positions()},
                 {"attributes", training.attributes()},
                 {"attributes_offered", result.features},
                 {"attributes_tested", result.attributes},
                 {"rounds", result.rounds},
                 {"tree_count", result.trees},
                 {"leaf_count", result.leaves},
                 {"objective_value", result.objective},
                 {"stop", result.stop}});
  if (result.holdout) {
    record["holdout_accuracy"] = result.holdout->token_accuracy;
    if (result.holdout->chunk_f1) record["holdout_f1"] = *result.holdout->chunk_f1;
  }
  if (training.partial_positions() > 0) record["partial_positions"] = training.partial_positions();
  if (!request.train.weights.empty()) record["weights"] = "file";
  if (!request.train.class_weights.empty()) {
    record["class_weights"] = request.train.class_weights == "balanced" ? "balanced" : "file";
  }
  return record;
}

SegmentRequest segment_part(const BoostedRequest& request) {
  SegmentRequest segments = request.segments;
  segments.train = shared_request(request);
  return segments;
}

}  // namespace

SegmentOptions boosted_segment_options(const BoostedRequest& request) {
  const SegmentRequest own = segment_part(request);
  check_segment_input(own, request.kind);
  SegmentOptions options = segment_options(own);
  if (!options.own_templates && own.segment_template.empty()) {
    // A number, and not an attribute for each length: trees find ranges.
    options.templates = SegmentTemplates::parse("U1:%value[length]\n", "the default");
  }
  return options;
}

ExtractionConfig boosted_extraction(const BoostedRequest& request, const SegmentOptions* segments) {
  return segments != nullptr ? segment_extraction(segment_part(request), *segments)
                             : make_extraction(shared_request(request), nullptr);
}

TrainedBoosted train_boosted_on(const BoostedRequest& request, TrainingInput& input,
                                const BoostedWatcher& watcher, CheckpointFolder* checkpoints,
                                const SegmentOptions* segments) {
  const TrainRequest shared = shared_request(request);
  check_request(shared);
  BoostingOptions options = request.options;
  options.seed = shared.seed;
  options.label_weights = read_label_weights(shared.class_weights);
  options.checkpoints = checkpoints;
  options.validate();
  const Extractor& extractor = input.extractor();
  if (segments != nullptr && extractor.config().format == InputFormat::columns) {
    segments->templates.check_columns(extractor.config().columns);
  }
  const auto made = segments != nullptr ? std::make_unique<Boosting>(extractor, *segments)
                                        : std::make_unique<Boosting>(extractor, request.kind);
  Boosting& training = *made;
  if (shared.partial) training.read_partial_labels(*shared.partial);
  split_data(
      shared, input,
      [&](TextSequence& sequence, const std::string& file) { training.add(sequence, file); },
      [&](const TextSequence& sequence) { training.add_holdout(sequence); });
  if (watcher.data_read) {
    watcher.data_read({training.sequences(), training.positions(), training.labels(),
                       training.attributes(), training.holdout_sequences(),
                       training.partial_positions(), FeatureSet::all,
                       shared.format == InputFormat::columns && !extractor.has_template()});
  }
  TrainedBoosted trained;
  trained.result = training.run(
      options,
      [&](const auto& predicted) {
        return score_holdout(
            [&](std::size_t n) -> const TextSequence& { return training.holdout(n); }, predicted,
            shared.partial);
      },
      watcher.round);
  Json record = training_record(request, training, trained.result);
  input.describe(record);
  trained.model = training.model(record);
  return trained;
}

BoostingResult train_boosted(const BoostedRequest& request, const BoostedWatcher& watcher) {
  const TrainRequest shared = shared_request(request);
  check_request(shared);
  request.options.validate();
  const bool of_segments = request.kind == kBoostedSegment;
  std::vector<std::string> inputs = input_files(shared);
  if (of_segments) {
    const std::vector<std::string> more = segment_files(request.segments);
    inputs.insert(inputs.end(), more.begin(), more.end());
  }
  check_files(inputs, shared.output);
  // Created and removed: what forbids writing the model is known before the work, not after it.
  AtomicFile{shared.output};
  std::optional<CheckpointFolder> checkpoints;
  if (!shared.checkpoint.empty()) {
    checkpoints.emplace(shared.checkpoint, shared.resume,
                        std::chrono::duration<double>(shared.checkpoint_interval));
  }
  try {
    const TrainWatcher reading{
        .data_read = {}, .reading = watcher.reading, .iteration = {}, .round = {}};
    std::optional<SegmentOptions> segments;
    if (of_segments) segments = boosted_segment_options(request);
    const SegmentOptions* const own = segments ? &*segments : nullptr;
    const auto files = open_training_files(shared, boosted_extraction(request, own), reading);
    const TrainedBoosted trained =
        train_boosted_on(request, *files, watcher, checkpoints ? &*checkpoints : nullptr, own);
    trained.model.write(shared.output);
    if (checkpoints && !interruption) checkpoints->remove();
    return trained.result;
  } catch (const Interrupted& reason) {
    throw Interrupted(std::string(reason.what()) + "; there is no model to keep yet");
  }
}

}  // namespace croft

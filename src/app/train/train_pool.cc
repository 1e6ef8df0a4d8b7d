#include "app/train/train_pool.h"

#include <algorithm>

#include "app/file_checks.h"
#include "app/train/train_files.h"
#include "core/atomic_file.h"
#include "croft/core/interrupt.h"
#include "croft/core/json.h"
#include "features/kit/feature_kit.h"
#include "model/file/kit_record.h"

namespace croft {
namespace {

Json expert_record(const PoolTraining::Expert& expert) {
  Json record = {{"name", expert.name},
                 {"weight", expert.weight},
                 {"divergence", expert.divergence},
                 {"features", expert.features}};
  if (expert.optimization) {
    record["objective_value"] = expert.optimization->objective;
    record["iterations"] = expert.optimization->iterations;
    record["stop"] = stop_reason_name(expert.optimization->reason);
  }
  return record;
}

Json training_record(const PoolRequest& request, const TrainOptions& options,
                     const PoolTraining& training, const PoolTraining::Result& result) {
  Json experts = Json::array();
  for (const PoolTraining::Expert& each : result.experts) experts.push_back(expert_record(each));
  Json record = {{"objective", info(options.objective).name},
                 {"optimizer", info(*options.method).name},
                 {"l1", options.regulariser.l1},
                 {"l2", options.regulariser.l2},
                 {"features", options.features == FeatureSet::all ? "all" : "observed"},
                 {"min_count", options.min_count},
                 {"seed", options.seed},
                 {"pool_weights", name_of(request.pool.weights.weights)},
                 {"experts", std::move(experts)},
                 {"pool_loss", result.loss},
                 {"sequences", training.sequences()},
                 {"positions", training.positions()},
                 {"attributes", training.attributes()},
                 {"weights", result.train.dimension},
                 {"nonzero_weights", result.train.active},
                 {"iterations", result.train.optimization.iterations},
                 {"evaluations", result.train.optimization.evaluations},
                 {"objective_value", result.train.optimization.objective},
                 {"gradient_norm", result.train.optimization.gradient_norm},
                 {"stop", stop_reason_name(result.train.optimization.reason)}};
  if (request.pool.experts.empty()) {  // all were trained elsewhere
    for (const char* unused : {"objective", "optimizer", "l1", "l2", "features", "min_count"}) {
      record.erase(unused);
    }
  }
  if (request.pool.weights.weights == PoolWeights::dirichlet) {
    record["dirichlet"] = request.pool.weights.alpha;
  }
  if (training.holdout_sequences() > 0) {
    record["holdout"] = {{"sequences", training.holdout_sequences()}};
  }
  if (!request.train.constrain.empty()) {
    const std::string& constrain = request.train.constrain;
    record["constraint"] = names_a_scheme(constrain) ? constrain : "file";
  }
  return record;
}

LabelClasses read_classes(const std::string& path) {
  if (path.empty()) return {};
  LineReader lines(path);
  return read_label_class_file(lines);
}

using Experts = std::span<const std::shared_ptr<const ChainModel>>;

// What write_kit_sections() makes of it; empty: none.
std::vector<std::byte> kit_sections(const ExtractionConfig& config) {
  if (!config.kit) return {};
  ContainerWriter out;
  write_kit_sections(*config.kit, out);
  return out.bytes();
}

// The pool computes what its experts were trained on: their kit, where the request has none, and
// their conjunctions, which no request has.
ExtractionConfig pool_extraction(const TrainRequest& request, Experts experts) {
  ExtractionConfig config = make_extraction(request, nullptr);
  if (experts.empty()) return config;
  const ChainModel& first = *experts.front();
  const ExtractionConfig& known = first.extractor().config();
  const auto refuse = [&](const ChainModel& other, const std::string& what) {
    throw UsageError(first.container().name() + " and " + other.container().name() +
                     " have different " + what +
                     ": the experts of a pool need the same features; train all with the same " +
                     "--kit and --induce");
  };
  for (const auto& each : experts) {
    const ExtractionConfig& other = each->extractor().config();
    if (kit_sections(other) != kit_sections(known)) refuse(*each, "feature kits");
    const auto parts = [](const Conjunction& c) { return c.parts; };
    if (!std::ranges::equal(other.conjunctions, known.conjunctions, {}, parts, parts)) {
      refuse(*each, "conjunctions of features");
    }
  }
  if (!config.kit && known.kit) config.kit = known.kit->owning();
  config.conjunctions = known.conjunctions;
  return config;
}

}  // namespace

TrainRequest with_pool_defaults(TrainRequest request) {
  if (!request.l2) request.l2 = 0;  // the pool is what keeps experts from saying too much
  TrainOptions& o = request.options;
  if (!o.method && goes_with(Method::lbfgs, o.objective)) {
    o.method = o.regulariser.l1 > 0 ? Method::owlqn : Method::lbfgs;
  } else if (!o.method) {
    o.method = default_method(o.objective, o.regulariser);
  }
  return with_defaults(std::move(request));
}

TrainedPool train_pool_on(const PoolRequest& asked, TrainingInput& input,
                          std::span<const std::shared_ptr<const ChainModel>> experts,
                          const PoolWatcher& watcher, CheckpointFolder* checkpoints) {
  PoolRequest request = asked;
  request.train = with_pool_defaults(request.train);
  check_request(request.train);
  request.pool.validate();
  TrainOptions options = read_options(request.train);
  options.checkpoints = checkpoints;
  const Extractor& extractor = input.extractor();
  options.features = request.train.features.value_or(
      extractor.has_template() ? FeatureSet::all : FeatureSet::observed);
  request.pool.weights.stop = options.stop;
  request.pool.weights.stop.max_iterations = request.train.max_iterations.value_or(200);
  PoolTraining training(extractor);
  if (request.train.partial) training.read_partial_labels(*request.train.partial);
  std::vector<TextSequence> held_out;
  split_data(
      request.train, input,
      [&](TextSequence& sequence, const std::string& file) { training.add(sequence, file); },
      [&](const TextSequence& sequence) { held_out.push_back(sequence); });
  for (const TextSequence& each : held_out) training.add_holdout(each, request.train.holdout);
  for (const auto& expert : experts) training.add_expert(*expert);
  if (watcher.data_read) {
    watcher.data_read({training.sequences(), training.positions(), training.labels(),
                       training.attributes(), training.holdout_sequences(),
                       training.partial_positions(), options.features,
                       request.train.format == InputFormat::columns && !extractor.has_template()});
  }
  TrainedPool trained;
  trained.result = training.run(options, request.pool, watcher.iteration);
  Json record = training_record(request, options, training, trained.result);
  input.describe(record);
  trained.model = training.model(record);
  return trained;
}

PoolTraining::Result train_pool(const PoolRequest& asked, const PoolWatcher& watcher) {
  PoolRequest request = asked;
  request.train = with_pool_defaults(request.train);
  check_request(request.train);
  request.pool.validate();
  if (request.pool.experts.empty() && request.experts.empty()) {
    throw UsageError(
        "a pool needs experts: --experts all, random:N, position or labels, or "
        "--expert MODEL");
  }
  std::vector<std::string> inputs = input_files(request.train);
  inputs.insert(inputs.end(), request.experts.begin(), request.experts.end());
  inputs.push_back(request.classes_path);
  check_files(inputs, request.train.output);
  // Created and removed: what forbids writing the model is known before the work, not after it.
  AtomicFile{request.train.output};
  std::optional<CheckpointFolder> checkpoints = open_checkpoints(request.train);
  try {
    request.pool.classes = read_classes(request.classes_path);
    request.pool.validate();
    std::vector<std::shared_ptr<const ChainModel>> experts;
    for (const std::string& path : request.experts) {
      experts.push_back(ChainModel::open(path));
      experts.back()->container().verify();
    }
    const TrainWatcher reading{.data_read = {}, .reading = watcher.reading, .iteration = {}};
    const auto files =
        open_training_files(request.train, pool_extraction(request.train, experts), reading);
    const TrainedPool trained =
        train_pool_on(request, *files, experts, watcher, checkpoints ? &*checkpoints : nullptr);
    trained.model.write(request.train.output);
    if (checkpoints && !interruption) checkpoints->remove();
    return trained.result;
  } catch (const Interrupted& reason) {
    throw Interrupted(std::string(reason.what()) + "; there is no model to keep yet");
  }
}

}  // namespace croft

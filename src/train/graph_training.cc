#include "croft/train/graph_training.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft {

void GraphTrainOptions::validate() const {
  regulariser.validate();
  stop.validate();
  if (min_count == 0) throw UsageError("--min-count must be at least 1");
  if (starts == 0) throw UsageError("--starts must be at least 1");
  if (!(start_deviation >= 0) || std::isinf(start_deviation)) {
    throw UsageError("the deviation of the start must be a number >= 0");
  }
}

Method GraphTrainOptions::chosen_method() const {
  const GraphObjectiveInfo& chosen = info(objective);
  return method.value_or(regulariser.l1 > 0 ? chosen.with_l1 : chosen.by_default);
}

GraphTraining::GraphTraining(CliqueData& data, std::vector<StringTable> features)
    : data_(data), features_(std::move(features)), instances_(data.unroll()) {}

std::size_t GraphTraining::hidden() const {
  std::size_t count = 0;
  for (const GraphInstance& each : instances_) {
    count += static_cast<std::size_t>(std::ranges::count(each.known, kUnobserved));
  }
  return count;
}

GraphTrainResult GraphTraining::run(const GraphTrainOptions& options,
                                    const TrainingCallback& callback) {
  options.validate();
  if (instances_.empty()) throw Error("there is no variable to train on");
  std::vector<std::size_t> features;
  for (const StringTable& each : features_) features.push_back(each.size());
  layout_ = make_graph_layout(data_.schema(), data_.rows(), instances_, features,
                              {.features = options.features, .min_count = options.min_count});
  if (layout_.dimension() == 0) {
    throw Error("no feature is left to train; lower --min-count, or give more data");
  }
  const std::size_t hidden_variables = hidden();
  if (options.starts > 1 && hidden_variables == 0) {
    throw UsageError("--starts has no meaning where all labels are known; leave it out");
  }
  if (options.starts > 1 && is_direction(options.objective)) {
    throw UsageError("--starts keeps the best of several values, and --objective " +
                     std::string(info(options.objective).name) + " has none; leave it out");
  }
  ThreadPool pool(options.threads);
  const GraphProblem problem{.schema = data_.schema(),
                             .rows = data_.rows(),
                             .layout = layout_,
                             .instances = instances_,
                             .pool = pool,
                             .objective = options.objective,
                             .inference = options.inference,
                             .method = options.chosen_method(),
                             .settings = options.settings,
                             .regulariser = options.regulariser,
                             .stop = options.stop,
                             .seed = options.seed,
                             .rank_loss = options.rank_loss};
  GraphTrainResult result;
  bool stopped = false;
  for (std::size_t start = 0; start < options.starts && !stopped; ++start) {
    std::vector<double> w(layout_.dimension(), 0.0);
    if (hidden_variables > 0) {
      Random random(options.seed + start);
      for (double& each : w) each = options.start_deviation * random.normal();
    }
    const IterationCallback watch = [&](const Iteration& now) {
      return !callback || callback({now, options.stop.max_iterations, std::nullopt});
    };
    CheckpointFolder* checkpoints = options.starts == 1 ? options.checkpoints : nullptr;
    const OptimizeResult found = options.em
                                     ? train_graph_em(problem, *options.em, w, watch, checkpoints)
                                     : train_graph(problem, w, watch, checkpoints);
    stopped = found.reason == StopReason::stopped;
    result.objectives.push_back(found.objective);
    if (start > 0 && !(found.objective < result.optimization.objective)) continue;
    result.optimization = found;
    result.kept_start = start;
    weights_ = std::move(w);
  }
  result.dimension = layout_.dimension();
  result.active =
      static_cast<std::size_t>(std::ranges::count_if(weights_, [](double w) { return w != 0; }));
  return result;
}

ContainerWriter GraphTraining::model(const nlohmann::json& source,
                                     const nlohmann::json& training) const {
  GraphModelParts parts;
  parts.schema = &data_.schema();
  parts.layout = &layout_;
  parts.features = features_;
  parts.weights = weights_;
  parts.source = &source;
  parts.training = &training;
  return make_graph_model(parts);
}

}  // namespace croft

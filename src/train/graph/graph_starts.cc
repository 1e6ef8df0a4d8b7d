#include "train/graph/graph_starts.h"

#include <algorithm>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "train/part_checkpoints.h"

namespace croft {

std::size_t count_hidden(std::span<const GraphInstance> instances) {
  std::size_t count = 0;
  for (const GraphInstance& each : instances) {
    count += static_cast<std::size_t>(std::ranges::count(each.known, kUnobserved));
  }
  return count;
}

GraphLayout layout_to_train(const CliqueData& data, std::span<const GraphInstance> instances,
                            std::span<const StringTable> features,
                            const GraphTrainOptions& options) {
  std::vector<std::size_t> sizes;
  for (const StringTable& each : features) sizes.push_back(each.size());
  GraphLayout layout =
      make_graph_layout(data.schema(), data.rows(), instances, sizes,
                        {.features = options.features, .min_count = options.min_count});
  const bool given = std::ranges::any_of(data.schema().templates,
                                         [](const auto& each) { return !each.given.empty(); });
  if (layout.dimension() > 0 || given) return layout;
  throw Error("no feature is left to train; lower --min-count, or give more data");
}

GraphProblem problem_of(const CliqueData& data, const GraphLayout& layout,
                        std::span<GraphInstance> instances, ThreadPool& pool,
                        const GraphTrainOptions& options) {
  return {.schema = data.schema(),
          .rows = data.rows(),
          .layout = layout,
          .instances = instances,
          .pool = pool,
          .objective = options.objective,
          .inference = options.inference,
          .method = options.chosen_method(),
          .settings = options.settings,
          .regulariser = options.regulariser,
          .stop = options.stop,
          .seed = options.seed,
          .rank_loss = options.rank_loss};
}

std::vector<double> random_start(std::size_t dimension, const GraphTrainOptions& options,
                                 std::size_t start) {
  std::vector<double> w(dimension);
  Random random(options.seed + start);
  for (double& each : w) each = options.start_deviation * random.normal();
  return w;
}

void best_graph(const GraphTrainOptions& options, const TrainGraphStart& train,
                const std::function<void()>& keep, const Checkpointer::State& kept,
                GraphTrainResult& result) {
  WatchedResult found;
  const TrainStart from_start = [&](std::size_t start, CheckpointFolder* own) {
    found = {};
    const bool stopped = train(start, own, found);
    return StartEnd{found.optimization.objective, stopped};
  };
  const auto take = [&](std::size_t start) {
    static_cast<WatchedResult&>(result) = found;
    result.kept_start = start;
    keep();
  };
  result.objectives = best_of_starts(
      options.starts, from_start, take, options.checkpoints, [&](StateArchive& state) {
        archive_result(state, result.optimization);
        state(result.kept_start, result.holdout, result.best_iteration, result.curve);
        kept(state);
      });
}

void describe_weights(std::span<const double> w, GraphTrainResult& result) {
  result.dimension = w.size();
  result.active = count_nonzero(w);
}

ContainerWriter trained_model(const CliqueData& data, const GraphLayout& layout,
                              std::span<const StringTable> features, std::span<const double> w,
                              const Json& source, const Json& training) {
  GraphModelParts parts;
  parts.schema = &data.schema();
  parts.layout = &layout;
  parts.features = features;
  parts.weights = w;
  parts.source = &source;
  parts.training = &training;
  return make_graph_model(parts);
}

}  // namespace croft

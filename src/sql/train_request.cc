// The options of training, of a graph from tables.
#include <array>

#include "app/train/requests.h"
#include "croft/core/error.h"
#include "sql/train_graph.h"

namespace croft {

GraphTrainRequest graph_train_request(const OptionValues& values) {
  GraphTrainRequest request;
  values.read("spec", request.spec);
  values.read("database", request.databases);
  if (request.spec.empty())
    throw UsageError("--model graph needs --spec, which declares the graph");
  if (request.databases.empty()) throw UsageError("--model graph needs --database");
  values.read("output", request.output);
  values.read("l2", request.l2);
  values.read("tolerance", request.tolerance);
  values.read("gradient-tolerance", request.gradient_tolerance);
  values.read("max-iterations", request.max_iterations);
  values.read("window", request.window);
  values.read("init", request.init);
  values.read("prior", request.prior);
  values.read("variances", request.variances);
  values.read("checkpoint", request.checkpoint);
  values.read("resume", request.resume);
  values.read("checkpoint-interval", request.checkpoint_interval);
  request.options = graph_options(values);
  if (request.options.em) request.max_iterations = request.options.stop.max_iterations;
  return request;
}

std::span<const TrainerRow> graph_trainer_rows() {
  static constexpr auto kRows = std::to_array<TrainerRow>({
      {kGraphBit,
       [](const OptionValues& values) { return make_trainer(graph_train_request(values)); }},
  });
  return kRows;
}

}  // namespace croft

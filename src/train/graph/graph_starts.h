// What the trainings of graphs share (graph_training.h, measured_field.h): the layout, starts, the
// result's figures.  Internal to train/.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "train/kinds/graph_training.h"

namespace croft {

std::size_t count_hidden(std::span<const GraphInstance> instances);

// Throws Error where no weight is left.
GraphLayout layout_to_train(const CliqueData& data, std::span<const GraphInstance> instances,
                            std::span<const StringTable> features,
                            const GraphTrainOptions& options);

// Weights of that start: normal, of options.start_deviation, by options.seed.
std::vector<double> random_start(std::size_t dimension, const GraphTrainOptions& options,
                                 std::size_t start);

IterationCallback watching(const GraphTrainOptions& options, const TrainingCallback& callback);

// Trains from each start until one is stopped on request; `keep` is called for each that is better
// than all before.  Fills in the result's optimization, objectives and kept_start.
void best_of_starts(std::size_t starts,
                    const std::function<OptimizeResult(std::size_t start)>& train,
                    const std::function<void()>& keep, GraphTrainResult& result);

void describe_weights(std::span<const double> w, GraphTrainResult& result);

ContainerWriter trained_model(const CliqueData& data, const GraphLayout& layout,
                              std::span<const StringTable> features, std::span<const double> w,
                              const Json& source, const Json& training);

}  // namespace croft

// What the trainings of graphs share (graph_training.h, measured_field.h): the layout, starts, the
// result's figures.  Internal to train/.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "train/kinds/graph_training.h"

namespace croft {

std::size_t count_hidden(std::span<const GraphInstance> instances);

// Throws Error where no weight is left, and none is given.
GraphLayout layout_to_train(const CliqueData& data, std::span<const GraphInstance> instances,
                            std::span<const StringTable> features,
                            const GraphTrainOptions& options);

// By the options' method; the rest of what it may have is at its default.
GraphProblem problem_of(const CliqueData& data, const GraphLayout& layout,
                        std::span<GraphInstance> instances, ThreadPool& pool,
                        const GraphTrainOptions& options);

// Weights of that start: normal, of options.start_deviation, by options.seed.
std::vector<double> random_start(std::size_t dimension, const GraphTrainOptions& options,
                                 std::size_t start);

// Of a start, which it fills in what is found of; whether it was stopped on request.
using TrainGraphStart =
    std::function<bool(std::size_t start, Checkpointer* own, WatchedResult& found)>;
// Trains from each start; `keep` is called for each that is better than all before, `kept` is the
// state of what it keeps.  Fills in what the result has of a watched run, objectives and
// kept_start.
void best_graph(const GraphTrainOptions& options, const TrainGraphStart& train,
                const std::function<void()>& keep, const Checkpointer::State& kept,
                GraphTrainResult& result);

void describe_weights(std::span<const double> w, GraphTrainResult& result);

ContainerWriter trained_model(const CliqueData& data, const GraphLayout& layout,
                              std::span<const StringTable> features, std::span<const double> w,
                              const Json& source, const Json& training);

}  // namespace croft

#include "train/graph/graph_directions.h"

#include <algorithm>

#include "train/graph/graph_support.h"

namespace croft {

GraphDirections::GraphDirections(const CliqueSchema& schema, const CliqueRows& rows,
                                 const GraphLayout& layout, std::span<GraphInstance> instances,
                                 std::size_t workers, const GraphDirectionMaker& make_direction)
    : rows_(rows), layout_(layout), instances_(instances) {
  for (const GraphInstance& each : instances) {
    directions_.push_back(make_direction(each.graph, each.known));
  }
  for (std::size_t k = 0; k < workers; ++k) {
    workers_.push_back({GraphScorer(schema, rows, layout), {}, {}, {}});
  }
}

std::span<const Run> GraphDirections::support(std::size_t n, std::size_t worker) {
  find_support(rows_, layout_, instances_[n], workers_[worker].support);
  return workers_[worker].support;
}

DirectionFunction::Drawn GraphDirections::draw(std::size_t n, std::span<const double> w,
                                               Random& random, std::span<double> direction,
                                               std::size_t worker) {
  Worker& own = workers_[worker];
  GraphInstance& instance = instances_[n];
  own.scorer.score(w, instance);
  own.d_numbers.assign(instance.graph.numbers().size(), 0);
  const double figure = instance.weight * directions_[n]->draw(random, own.d_numbers);
  for (double& each : own.d_numbers) each *= instance.weight;
  if (std::ranges::all_of(own.d_numbers, [](double d) { return d == 0; })) return {figure, false};
  own.dense.resize(dimension());
  write_packed(
      support(n, worker), own.dense,
      [&](std::span<double> out) { own.scorer.add_gradient(instance, own.d_numbers, out); },
      direction);
  return {figure, true};
}

void GraphDirections::archive(StateArchive& state) {
  for (const auto& each : directions_) each->archive(state);
}

}  // namespace croft

#include "train/graph/graph_holdout.h"

#include <algorithm>

namespace croft {

GraphHoldout::GraphHoldout(const CliqueData& data, std::vector<GraphInstance> instances)
    : data_(data), instances_(std::move(instances)) {}

std::vector<State> GraphHoldout::labels(const GraphLayout& layout, std::span<const double> w,
                                        const MaxOracleMaker& best, ThreadPool& pool) {
  const bool first = searches_.empty();
  searches_.resize(instances_.size());
  std::vector<GraphScorer> scorers(pool.threads(),
                                   GraphScorer(data_.schema(), data_.rows(), layout));
  std::vector<State> labels(data_.variables(), kUnobserved);
  pool.run(instances_.size(), [&](std::size_t n, std::size_t worker) {
    GraphInstance& instance = instances_[n];
    scorers[worker].score(w, instance);
    Search& search = searches_[n];
    if (first) {
      if (std::ranges::any_of(instance.known, [](State s) { return s != kUnobserved; })) {
        search.rest.emplace(restrict_to_known(instance.graph, instance.known));
      }
      search.best = best(search.rest ? search.rest->graph : instance.graph);
    }
    label(n, labels);
  });
  return labels;
}

void GraphHoldout::label(std::size_t n, std::vector<State>& labels) {
  const GraphInstance& instance = instances_[n];
  Search& search = searches_[n];
  if (search.rest) search.rest->pick(instance.graph);
  const MapResult found = search.best->best();
  for (std::size_t k = 0; k < found.states.size(); ++k) {
    const Variable v = search.rest ? search.rest->variable[k] : static_cast<Variable>(k);
    labels[instance.variable[v]] = found.states[k];
  }
}

std::vector<GraphInstance> take_held_out(const CliqueData& data,
                                         std::vector<GraphInstance>& instances) {
  const auto kept = std::ranges::stable_partition(
      instances, [&](const GraphInstance& each) { return !data.held_out(each.variable.front()); });
  std::vector<GraphInstance> taken(std::make_move_iterator(kept.begin()),
                                   std::make_move_iterator(kept.end()));
  instances.erase(kept.begin(), kept.end());
  for (GraphInstance& each : taken) std::ranges::fill(each.known, kUnobserved);
  return taken;
}

}  // namespace croft

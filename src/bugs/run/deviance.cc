#include "bugs/run/deviance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bugs/node_values.h"

namespace croft::bugs {
namespace {

// ln p_a(x) - ln p_b(x) of an x drawn from p_a.
double replicate_ratio(const ModelGraph& graph, const Node& node, std::vector<double>& a,
                       std::vector<double>& b, Random& random, std::vector<double>& saved) {
  saved.assign(a.begin() + node.first, a.begin() + node.first + node.count);
  double ratio = 0;
  if (draw_node(graph, node, a.data(), random)) {
    std::copy_n(a.begin() + node.first, node.count, b.begin() + node.first);
    ratio = log_density_of(graph, node, a.data()) - log_density_of(graph, node, b.data());
  }
  std::ranges::copy(saved, a.begin() + node.first);
  std::ranges::copy(saved, b.begin() + node.first);
  return ratio;
}

}  // namespace

double deviance_of(const ModelGraph& graph, const double* values) {
  double sum = 0;
  for (const NodeId id : graph.observed()) {
    sum += log_density_of(graph, graph.node(id), values);
  }
  return -2 * sum;
}

void DevianceEstimate::add(const ModelGraph& graph, std::span<Snapshot> of_chains, Random random) {
  const auto weight = static_cast<double>(of_chains[0].weight);
  const auto chains = static_cast<double>(of_chains.size());
  weight_ += weight;
  for (const Snapshot& s : of_chains) {
    deviance_ += weight / chains * deviance_of(graph, s.values.data());
  }
  if (of_chains.size() < 2) pd_ = std::numeric_limits<double>::infinity();
  std::vector<double> saved;
  for (const NodeId id : graph.observed()) {
    if (std::isinf(pd_)) return;
    const Node& node = graph.node(id);
    if (fixed_parameters(graph, node)) continue;
    if (support_moves(graph, node)) pd_ = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < of_chains.size(); ++a) {
      const std::size_t b = (a + 1) % of_chains.size();
      pd_ += weight / chains *
             replicate_ratio(graph, node, of_chains[a].values, of_chains[b].values, random, saved);
    }
  }
}

std::optional<DevianceSummary> DevianceEstimate::summary() const {
  if (weight_ == 0) return std::nullopt;
  const double pd = std::isinf(pd_) ? std::nan("") : pd_ / weight_;
  return DevianceSummary{deviance_ / weight_, pd, deviance_ / weight_ + pd};
}

}  // namespace croft::bugs

#include "inference/graph/search/free_blocks.h"

#include <algorithm>
#include <limits>

namespace croft {
namespace {

constexpr std::size_t kUnreached = std::numeric_limits<std::size_t>::max();

}  // namespace

FreeBlocks::FreeBlocks(const FactorGraph& graph, std::span<const Variable> summed, double most_sum,
                       double part_of_sum)
    : lists_(neighbours_of(graph)),
      start_(graph, lists_, EliminationRule::min_weight, [](double) {}),
      is_summed_(graph.variables(), false) {
  for (const Variable v : summed) is_summed_[v] = graph.states(v) >= 2;
  if (!summed.empty()) {
    Elimination sums = start_;
    for (Variable v = 0; v < graph.variables(); ++v) {
      if (graph.states(v) >= 2 && !is_summed_[v]) sums.take_out(v);
    }
    const auto all = std::ranges::count(is_summed_, true);
    for (const double limit : {most_sum, part_of_sum}) {
      Elimination run = sums;
      Random random(0);
      summed_ = run.run_within(limit, random);
      log2_largest_sum_ = run.log2_largest();
      if (std::ssize(summed_) == all) break;
    }
    is_summed_.assign(graph.variables(), false);
    for (const Variable v : summed_) is_summed_[v] = true;
  }
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (graph.states(v) >= 2 && !is_summed_[v]) several_.push_back(v);
  }
}

std::vector<FreeBlock> FreeBlocks::draw(double log2_states, std::size_t thickness,
                                        Random& random) const {
  if (several_.empty()) return {};
  Elimination run = start_;
  if (thickness > 0) {
    const auto layer = layers_around(several_[random.below(several_.size())]);
    const std::size_t first = random.below(thickness + 1);
    for (const Variable v : several_) {
      if (layer[v] != kUnreached && (layer[v] + first) % (thickness + 1) == 0) run.take_out(v);
    }
  }
  return parts_of(run.run_within(std::max(log2_states, log2_largest_sum_), random, summed_));
}

// How many steps away a variable is.
std::vector<std::size_t> FreeBlocks::layers_around(Variable middle) const {
  std::vector<std::size_t> layer(lists_.size(), kUnreached);
  std::vector<Variable> reached{middle};
  layer[middle] = 0;
  for (std::size_t at = 0; at < reached.size(); ++at) {
    for (const Variable u : lists_[reached[at]]) {
      if (layer[u] != kUnreached) continue;
      layer[u] = layer[reached[at]] + 1;
      reached.push_back(u);
    }
  }
  return layer;
}

std::vector<FreeBlock> FreeBlocks::parts_of(const std::vector<Variable>& order) const {
  constexpr std::size_t kNotFree = kUnreached, kNoPart = kUnreached - 1;
  std::vector<std::size_t> part(lists_.size(), kNotFree);
  for (const Variable v : order) part[v] = kNoPart;
  std::size_t parts = 0;
  std::vector<Variable> open;
  for (const Variable v : order) {
    if (part[v] != kNoPart) continue;
    part[v] = parts;
    open.assign(1, v);
    while (!open.empty()) {
      const Variable u = open.back();
      open.pop_back();
      for (const Variable t : lists_[u]) {
        if (part[t] != kNoPart) continue;
        part[t] = parts;
        open.push_back(t);
      }
    }
    ++parts;
  }
  std::vector<FreeBlock> blocks(parts);
  for (const Variable v : order) blocks[part[v]].push_back(v);
  return blocks;
}

}  // namespace croft

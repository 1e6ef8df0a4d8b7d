#include "objective/graph/graph_objective.h"

#include <algorithm>
#include <string>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "croft/inference/mean_field.h"
#include "structure/factor_numbers.h"

namespace croft {
namespace {}

GraphLikelihood::GraphLikelihood(const FactorGraph& graph, std::span<const State> known,
                                 const SumOracleMaker& make_sums)
    : graph_(graph), known_(known), free_(make_sums(graph)) {
  if (std::ranges::find(known, kUnobserved) == known.end()) return;
  rest_.emplace(restrict_to_known(graph, known));
  clamped_ = make_sums(rest_->graph);
}

double GraphLikelihood::evaluate(std::span<double> gradient) {
  double known = 0;
  if (rest_) {
    rest_->pick(graph_);
    sums_.assign(rest_->source.size(), 0);
    known = clamped_->sums(-1, sums_);
  } else {
    known = graph_.score(known_);
  }
  if (known == -kInf) return kInf;
  const double log_z = free_->sums(1, gradient);
  if (rest_) {
    rest_->add_back(sums_, gradient);
  } else {
    add_counts(graph_, known_, -1, gradient);
  }
  return log_z - known;
}

bool GraphLikelihood::converged() const {
  return free_->converged() && (!clamped_ || clamped_->converged());
}

void GraphLikelihood::archive(StateArchive& state) {
  free_->archive(state);
  if (clamped_) clamped_->archive(state);
}

BlockLikelihood::BlockLikelihood(const FactorGraph& graph, std::span<const State> known,
                                 std::span<const std::vector<Variable>> blocks,
                                 const SumOracleMaker& make_sums)
    : graph_(graph) {
  const auto hidden = std::ranges::count(known, kUnobserved);
  if (hidden > 0) {
    throw UsageError("composite likelihoods need the states of all variables, and " +
                     std::to_string(hidden) + " are hidden; take likelihood");
  }
  const FactorLists factors(graph);
  for (const std::vector<Variable>& free : blocks) {
    auto block = std::make_unique<Block>();
    block->part = restrict_to_block(graph, factors, known, free);
    for (const Variable v : block->part.variable) block->known.push_back(known[v]);
    block->sums = make_sums(block->part.graph);
    blocks_.push_back(std::move(block));
  }
}

double BlockLikelihood::evaluate(std::span<double> gradient) {
  CompensatedSum value;
  for (const auto& block : blocks_) {
    block->part.pick(graph_);
    const double known = block->part.graph.score(block->known);
    if (known == -kInf) return kInf;
    sums_.assign(block->part.source.size(), 0);
    value.add(block->sums->sums(1, sums_));
    value.add(-known);
    add_counts(block->part.graph, block->known, -1, sums_);
    block->part.add_back(sums_, gradient);
  }
  return value.value();
}

GraphObjectiveMaker tree_block_likelihood() {
  return [](const FactorGraph& graph, std::span<const State> known) {
    return std::make_unique<BlockLikelihood>(graph, known, forest_parts(graph), exact_sums());
  };
}

}  // namespace croft

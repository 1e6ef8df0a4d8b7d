#include "train/graph/graph_dual.h"

#include <algorithm>
#include <limits>

#include "core/infinity.h"
#include "core/vector_math.h"
#include "croft/core/error.h"
#include "objective/graph/graph_objective.h"
#include "structure/factor_numbers.h"
#include "train/graph/graph_support.h"

namespace croft {

GraphDual::GraphDual(const CliqueSchema& schema, const CliqueRows& rows, const GraphLayout& layout,
                     std::span<GraphInstance> instances, const MaxOracleMaker& make_best,
                     const GraphDualOptions& options)
    : rows_(rows),
      layout_(layout),
      instances_(instances),
      options_(options),
      scorer_(schema, rows, layout),
      w_(layout.dimension(), 0.0),
      v_(layout.dimension(), 0.0) {
  if (!(options.l2 > 0 && options.l2 < std::numeric_limits<double>::infinity())) {
    throw UsageError("Frank-Wolfe needs an l2 above 0");
  }
  for (const GraphInstance& each : instances) {
    if (std::ranges::find(each.known, kUnobserved) != each.known.end()) {
      throw UsageError(
          "Frank-Wolfe needs the states of all variables, and some are hidden; take "
          "averaged-sgd");
    }
    augmented_.push_back(
        std::make_unique<FactorGraph>(with_costs(each.graph, each.known, options.cost)));
    best_.push_back(make_best(*augmented_.back()));
  }
}

void GraphDual::gold(std::size_t n, std::span<double> mu) {
  std::ranges::fill(mu, 0.0);
  add_counts(*augmented_[n], instances_[n].known, 1, mu);
}

// The costs' numbers stand behind those of the instance's graph, and never change.
void GraphDual::scores(std::size_t n, std::span<double> theta) {
  GraphInstance& instance = instances_[n];
  scorer_.score(w_, instance);
  const auto own = std::as_const(instance.graph).numbers();
  // No labelling that is allowed has a part that is forbidden: there 0 stands for -inf, which times
  // 0 would be no number.
  std::ranges::transform(own, theta.begin(), [](double s) { return s == -kInf ? 0 : s; });
  const auto costs = std::as_const(*augmented_[n]).numbers().subspan(own.size());
  std::ranges::copy(costs, theta.begin() + static_cast<std::ptrdiff_t>(own.size()));
}

void GraphDual::reset() { std::ranges::fill(w_, 0.0); }

double GraphDual::aim(std::size_t n, std::span<const double> delta) {
  const GraphInstance& instance = instances_[n];
  find_support(rows_, layout_, instance, support_);
  for (const Run& run : support_) {
    std::fill_n(v_.begin() + static_cast<std::ptrdiff_t>(run.begin), run.length, 0.0);
  }
  scorer_.add_gradient(instance, delta.first(instance.graph.numbers().size()), v_);
  double sum = 0;
  for (const Run& run : support_) {
    const auto part = std::span<const double>(v_).subspan(run.begin, run.length);
    sum += dot(part, part);
  }
  return sum;
}

void GraphDual::move(double scale) {
  for (const Run& run : support_) {
    axpy(scale, std::span<const double>(v_).subspan(run.begin, run.length),
         std::span(w_).subspan(run.begin, run.length));
  }
}

double GraphDual::squared_norm() { return dot(w_, w_); }

double GraphDual::sum_oracle(std::size_t, std::span<const double>, std::span<double>) {
  throw Error("the max-margin dual of a graph has no sums");
}
EntropyPoint GraphDual::entropy(std::size_t, std::span<const double>, std::span<const double>,
                                double) {
  throw Error("the max-margin dual of a graph has no entropy");
}

double GraphDual::max_oracle(std::size_t n, std::span<const double> theta, std::span<double> mu) {
  FactorGraph& graph = *augmented_[n];
  std::ranges::copy(theta, graph.numbers().begin());
  const auto own = std::as_const(instances_[n].graph).numbers();
  for (std::size_t k = 0; k < own.size(); ++k) {
    if (own[k] == -kInf) graph.numbers()[k] = -kInf;
  }
  const MapResult best = best_[n]->best();
  if (best.states.empty()) throw Error("the search has found no allowed assignment");
  std::ranges::fill(mu, 0.0);
  add_counts(graph, best.states, 1, mu);
  return graph.score(best.states);
}

}  // namespace croft

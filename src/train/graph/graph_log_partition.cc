#include "train/graph/graph_log_partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "core/shared_tasks.h"
#include "croft/core/error.h"
#include "inference/graph/oracles/shared_plans.h"

namespace croft {
namespace {

UsageError too_large(std::size_t hidden, double bytes, double most_bytes) {
  return UsageError(
      fmt::format("data without labels is summed over exactly, and the junction tree of an "
                  "instance with {} hidden variables takes {:.2g} GB",
                  hidden, bytes / 1e9),
      most_bytes > 0 ? Message(fmt::format(", the limit is {:.2g} GB", most_bytes / 1e9)) : "",
      "; divide it into smaller instances, leave out --entropy and --expectations, or, with "
      "--objective likelihood, give a larger --memory");
}

}  // namespace

GraphLogPartition::GraphLogPartition(const CliqueSchema& schema, const CliqueRows& rows,
                                     const GraphLayout& layout, std::span<GraphInstance> instances,
                                     ThreadPool& pool, double most_bytes)
    : schema_(schema), rows_(rows), instances_(instances), pool_(pool), sums_(instances.size()) {
  for (std::size_t k = 0; k < pool.threads(); ++k) {
    workers_.push_back({GraphScorer(schema, rows, layout), {}});
  }
  const auto orders = std::make_shared<SharedPlans>(0);  // one for all graphs of a structure
  const SumTangent::Order order = [&](const FactorGraph& graph) {
    try {
      return orders->of(graph)->order;
    } catch (const TooWide& error) {
      throw too_large(graph.variables(), 2 * sizeof(double) * std::exp2(error.log2_states()),
                      most_bytes);
    }
  };
  // The trees' size is checked beforehand, with a message that knows what they are for.
  const SumOracleMaker make_sums = exact_sums(0);
  f_.emplace(schema, rows, layout, instances, pool,
             InstanceObjectiveMaker([&](const GraphInstance& instance) {
               auto made =
                   std::make_unique<HiddenSums>(instance.graph, instance.known, make_sums, order);
               const double bytes = made->tangent_bytes();
               if (most_bytes > 0 && bytes > most_bytes) {
                 throw too_large(made->hidden(), bytes, most_bytes);
               }
               sums_[static_cast<std::size_t>(&instance - instances_.data())] = made.get();
               return made;
             }));
}

double GraphLogPartition::evaluate(std::span<const double> w, std::span<double> gradient) {
  w_.assign(w.begin(), w.end());
  return f_->evaluate(w, gradient);
}

// What the numbers of a graph change by along v: those that no weight is of stay.
void GraphLogPartition::set_direction(std::span<const double> v, std::size_t n,
                                      std::size_t worker) {
  GraphInstance& instance = instances_[n];
  auto& [scorer, direction] = workers_[worker];
  scorer.score(v, instance);
  const std::span<const double> numbers = instance.graph.numbers();
  direction.assign(numbers.begin(), numbers.end());
  for (PotentialId p = 0; p < instance.row.size(); ++p) {
    if (!schema_.templates[rows_.template_of(instance.row[p])].scores) continue;
    const Potential& of = instance.graph.potential(p);
    std::fill_n(direction.begin() + static_cast<std::ptrdiff_t>(of.first), of.count, 0.0);
  }
  std::ranges::replace(direction, -kInf, 0.0);
  scorer.score(w_, instance);
}

void GraphLogPartition::hessian_product(std::span<const double> v, std::span<double> out) {
  std::ranges::fill(out, 0);
  run_shared(
      pool_, instances_.size(),
      [&](std::size_t n) { return static_cast<double>(instances_[n].graph.numbers().size()); },
      [&](std::size_t n, std::size_t k, std::vector<double>& result) {
        set_direction(v, n, k);
        result.assign(instances_[n].graph.numbers().size(), 0);
        sums_[n]->add_tangent(instances_[n].weight, workers_[k].direction, result);
      },
      [&](std::size_t n, std::size_t k, std::span<const double> result) {
        workers_[k].scorer.add_gradient(instances_[n], result, out);
      });
}

}  // namespace croft

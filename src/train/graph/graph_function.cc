#include "train/graph/graph_function.h"

#include <algorithm>

#include "core/shared_tasks.h"
#include "croft/core/compensated_sum.h"
#include "train/graph/graph_support.h"

namespace croft {

GraphFunction::GraphFunction(const CliqueSchema& schema, const CliqueRows& rows,
                             const GraphLayout& layout, std::span<GraphInstance> instances,
                             ThreadPool& pool, const InstanceObjectiveMaker& make_objective)
    : rows_(rows), layout_(layout), instances_(instances), pool_(pool) {
  for (std::size_t k = 0; k < pool.threads(); ++k) {
    workers_.push_back({GraphScorer(schema, rows, layout), {}, {}, {}, {}, 0, 0});
  }
  objectives_.resize(instances.size());
  converged_.assign(instances.size(), 1);
  pool_.run(instances.size(),
            [&](std::size_t n, std::size_t) { objectives_[n] = make_objective(instances_[n]); });
}

double GraphFunction::evaluate(std::span<const double> w, std::span<double> gradient) {
  if (prior_ != nullptr) {
    weights_.resize(w.size());
    for (std::size_t k = 0; k < w.size(); ++k) weights_[k] = prior_->weight(k, w[k]);
    w = weights_;
  }
  std::ranges::fill(gradient, 0);
  CompensatedSum value;
  const auto numbers = [&](std::size_t n) { return instances_[n].graph.numbers().size(); };
  run_shared(
      pool_, instances_.size(), [&](std::size_t n) { return cost(n); },
      [&](std::size_t n, std::size_t k, std::vector<double>& result) {
        workers_[k].scorer.score(w, instances_[n]);
        result.assign(numbers(n), 0);
        const double found = infer(n, result);
        result.push_back(found);
        result.push_back(objectives_[n]->converged() ? 1 : 0);
      },
      [&](std::size_t n, std::size_t k, std::span<const double> result) {
        converged_[n] = result.back() != 0;
        count(converged_[n], workers_[k]);
        value.add(result[numbers(n)]);
        workers_[k].scorer.add_gradient(instances_[n], result.first(numbers(n)), gradient);
      });
  if (prior_ != nullptr && !prior_->scale.empty()) {
    for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] *= prior_->scale[k];
  }
  return value.value();
}

double GraphFunction::cost(std::size_t n) const {
  return static_cast<double>(instances_[n].graph.numbers().size());
}

// Of helpers each knows the state of its own instances, which follow those of the ranks before it.
void GraphFunction::archive(StateArchive& state) {
  Ranks& helpers = pool_.helpers();
  if (helpers.alone() || state.reading()) {
    for (const auto& each : objectives_) each->archive(state);
    return;
  }
  const auto [first, last] =
      own_tasks(helpers, instances_.size(), [&](std::size_t n) { return cost(n); });
  StateArchive own;
  for (std::size_t n = first; n < last; ++n) objectives_[n]->archive(own);
  helpers.hand_to_first(own.bytes(), [&](std::string_view bytes) { state.append(bytes); });
}

// Times the instance's weight, as the derivatives.
double GraphFunction::infer(std::size_t n, std::span<double> d_numbers) {
  double value = objectives_[n]->evaluate(d_numbers);
  if (const double weight = instances_[n].weight; weight != 1) {
    value = weight > 0 ? weight * value : 0;
    for (double& each : d_numbers) each *= weight;
  }
  return value;
}

void GraphFunction::count(bool converged, Worker& worker) {
  ++worker.inferences;
  if (!converged) ++worker.not_converged;
}

std::span<const Run> GraphFunction::support(std::size_t n, std::size_t worker) {
  find_support(rows_, layout_, instances_[n], workers_[worker].support);
  return workers_[worker].support;
}

SampleFunction::Sample GraphFunction::evaluate_sample(std::size_t n, std::span<const double> w,
                                                      std::span<double> gradient,
                                                      std::size_t worker) {
  Worker& own = workers_[worker];
  if (prior_ != nullptr) {
    own.weights.resize(w.size());
    for (const Run& run : support(n, worker)) {
      for (std::uint64_t k = run.begin; k < run.begin + run.length; ++k) {
        own.weights[k] = prior_->weight(k, w[k]);
      }
    }
    w = own.weights;
  }
  own.scorer.score(w, instances_[n]);
  own.d_numbers.assign(instances_[n].graph.numbers().size(), 0);
  const double value = infer(n, own.d_numbers);
  converged_[n] = objectives_[n]->converged();
  count(converged_[n], own);
  if (std::ranges::all_of(own.d_numbers, [](double d) { return d == 0; })) return {value, false};
  own.packed.resize(layout_.dimension());
  const std::span<const Run> runs = support(n, worker);
  write_packed(
      runs, own.packed,
      [&](std::span<double> out) { own.scorer.add_gradient(instances_[n], own.d_numbers, out); },
      gradient);
  if (prior_ != nullptr && !prior_->scale.empty()) {
    double* g = gradient.data();
    for (const Run& run : runs) {
      for (std::size_t k = 0; k < run.length; ++k) *g++ *= prior_->scale[run.begin + k];
    }
  }
  return {value, true};
}

std::size_t GraphFunction::not_converged() const {
  return static_cast<std::size_t>(std::ranges::count(converged_, 0));
}

std::size_t GraphFunction::inferences() const {
  std::size_t sum = 0;
  for (const Worker& each : workers_) sum += each.inferences;
  return sum;
}
std::size_t GraphFunction::inferences_not_converged() const {
  std::size_t sum = 0;
  for (const Worker& each : workers_) sum += each.not_converged;
  return sum;
}

}  // namespace croft

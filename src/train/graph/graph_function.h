// The data term of a general CRF's training, and its gradient: of all instances, or of one.
//
//   f(w) = sum_n q_n L(theta_n(w), y_n),     df/dw = sum_n q_n A_n' dL/dtheta_n            (GC.8)
//
// with q_n the weight of an instance.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "croft/core/parallel.h"
#include "croft/optimize/function.h"
#include "model/graph_layout.h"
#include "objective/graph/graph_objective.h"
#include "train/weight_prior.h"

namespace croft {

using InstanceObjectiveMaker =
    std::function<std::unique_ptr<GraphObjective>(const GraphInstance& instance)>;

class GraphFunction final : public SampleFunction {
 public:
  // Keeps the first five by reference; sets the numbers of the instances' graphs.  Each instance
  // has its objective, made here.  Gradients are added in the order of instances, whatever the
  // number of threads and of helpers, among which whole instances are shared out.
  GraphFunction(const CliqueSchema& schema, const CliqueRows& rows, const GraphLayout& layout,
                std::span<GraphInstance> instances, ThreadPool& pool,
                const InstanceObjectiveMaker& make_objective);
  GraphFunction(const CliqueSchema& schema, const CliqueRows& rows, const GraphLayout& layout,
                std::span<GraphInstance> instances, ThreadPool& pool,
                const GraphObjectiveMaker& make_objective)
      : GraphFunction(schema, rows, layout, instances, pool,
                      InstanceObjectiveMaker([&](const GraphInstance& instance) {
                        return make_objective(instance.graph, instance.known);
                      })) {}

  std::size_t dimension() const override { return layout_.dimension(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override;

  void archive(StateArchive& state) override;

  std::size_t samples() const override { return instances_.size(); }
  std::size_t workers() const override { return workers_.size(); }
  std::span<const Run> support(std::size_t n, std::size_t worker) override;
  Sample evaluate_sample(std::size_t n, std::span<const double> w, std::span<double> gradient,
                         std::size_t worker) override;

  // w are variables of the prior from here on (train/weight_prior.h); kept by reference.
  void set_prior(const WeightPrior& prior) { prior_ = prior.trivial() ? nullptr : &prior; }

  // Of the last evaluation: instances whose inference did not converge.
  std::size_t not_converged() const;
  // Of all evaluations so far: inferences, those of single samples included, and those of them
  // that did not converge.
  std::size_t inferences() const;
  std::size_t inferences_not_converged() const;

 private:
  struct Worker {
    GraphScorer scorer;
    std::vector<double> d_numbers;
    std::vector<Run> support;
    std::vector<double> packed;   // [dimension]
    std::vector<double> weights;  // [dimension] of the support, with a prior
    std::size_t inferences = 0, not_converged = 0;
  };
  double cost(std::size_t n) const;
  double infer(std::size_t n, std::span<double> d_numbers);
  static void count(bool converged, Worker& worker);

  const CliqueRows& rows_;
  const GraphLayout& layout_;
  std::span<GraphInstance> instances_;
  ThreadPool& pool_;
  std::vector<std::unique_ptr<GraphObjective>> objectives_;
  std::vector<char> converged_;  // [instances] in the last evaluation
  std::vector<Worker> workers_;
  const WeightPrior* prior_ = nullptr;
  std::vector<double> weights_;  // with a prior
};

}  // namespace croft

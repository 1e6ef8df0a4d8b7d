// The data term of a chain's training objective, one sequence at a time, as a SampleFunction.
//
// w stands in the space of a SampleScorer; expand() and compress() go from and to the layout's
// order.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "croft/objective/chain_objective.h"
#include "model/sample_scorer.h"
#include "objective/label_cost.h"
#include "train/functions/chain_batch_function.h"
#include "train/weight_prior.h"

namespace croft {

class ChainSampleFunction : public RankedFunction {
 public:
  // Keeps references to the first two and to `whole`.  data.node.id are ids of the layout.
  //   whole          : the same function over all the data at once
  //   make_objective : called once for each worker, here
  ChainSampleFunction(const ChainData& data, const ChainLayout& layout, ChainFunction& whole,
                      std::size_t workers,
                      const ObjectiveMaker<double>& make_objective = make_likelihood<double>);
  ~ChainSampleFunction() override;

  // Coordinates are u of the prior from here on, but for a trivial one; in the layout's order.
  void set_prior(const WeightPrior& prior);
  // For evaluate_ranked(): the cost of mistakes; kept by reference.
  void set_cost(const LabelCost& cost) { cost_ = &cost; }

  const SampleScorer& scorer() const { return scorer_; }

  std::size_t dimension() const override { return scorer_.dimension(); }
  std::size_t samples() const override { return data_.sequences(); }
  std::size_t workers() const override { return workers_.size(); }
  std::span<const Run> support(std::size_t n, std::size_t worker) override;
  Sample evaluate_sample(std::size_t n, std::span<const double> w, std::span<double> gradient,
                         std::size_t worker) override;
  Sample evaluate_sparse(std::size_t n, std::span<const double> w, SparseVector& gradient,
                         std::size_t worker) override;
  // Order 1, complete gold.  Cost: that of the k-best search, and a gradient for each.
  std::size_t evaluate_ranked(std::size_t n, std::span<const double> w, std::size_t most,
                              std::span<double> value, std::span<double> loss,
                              std::span<double> gradient, std::size_t worker) override;
  double evaluate(std::span<const double> w, std::span<double> gradient) override;

 private:
  struct Worker;
  std::span<const double> weights_of(std::size_t n, std::span<const double> u, Worker& worker);
  void score(std::size_t n, std::span<const double> w, Worker& worker);
  double evaluate_scores(std::size_t n, std::span<const double> u, Worker& worker);
  void write_difference(std::size_t n, std::span<const Label> y, std::span<double> gradient,
                        Worker& worker);
  double evaluate_lifted(std::size_t n, std::span<const double> w, Worker& worker);

  const ChainData& data_;
  const ChainLayout& layout_;
  ChainFunction& whole_;
  SampleScorer scorer_;
  LiftedGold gold_;  // with histories
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<double> weights_, gradient_;  // in the layout's order
  std::vector<double> mean_, scale_;        // of the prior, in the space; empty: 0, and 1
  const LabelCost* cost_ = nullptr;
};

}  // namespace croft

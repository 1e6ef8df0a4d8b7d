// The weights of a logarithmic opinion pool, learnt on its likelihood.
//
//   theta(a) = sum_i a_i theta_i,      f(a) = sum_n q_n (log Z(theta_n(a)) - theta_n(a; y_n)),
//   df/da_i  = sum_n q_n <dL/dtheta_n, theta_ni>                                           (LP.5)
//
// The experts' scores are what features are to a chain: one number a weight, for every entry.
// docs/math/pools.md.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "croft/objective/likelihood.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"
#include "croft/optimize/result.h"
#include "train/kinds/chain_expert.h"

namespace croft {

// f, over some sequences of the data.  Memory: a double for each expert, position and label.
class PoolFunction final : public BatchFunction {
 public:
  // Kept by reference, but for the constraint, which may be null.  All experts have the labels of
  // the data.  [first, last): sequences.
  PoolFunction(const ChainData& data, std::size_t first, std::size_t last,
               std::span<const ChainExpert> experts, const ChainConstraint* constraint,
               ThreadPool& pool);

  std::size_t dimension() const override { return experts_.size(); }
  double evaluate(std::span<const double> a, std::span<double> gradient) override;

  // KL(p_pool || p_i) summed over the sequences, in nats: how far each expert is from the pool.
  // (LP.3)
  std::vector<double> divergences(std::span<const double> a);

 private:
  struct Worker {
    ChainScores<double> scores;
    ChainLikelihood<double> objective;
    ForwardBackwardWorkspace<double> sums;
    Matrix<double> d_state, d_overlay;
    std::vector<double> d_transition, gradient;
  };
  void set_scores(std::size_t n, std::span<const double> a, ChainScores<double>& out) const;
  void set_transitions(std::span<const double> a, TransitionScores<double>& out) const;
  void add_overlays(std::size_t n, std::span<const double> a, ChainScores<double>& out) const;
  void add_inner_products(std::size_t n, Worker& worker) const;
  std::span<const double> state_of(std::size_t expert, std::size_t n) const;

  const ChainData& data_;
  std::size_t first_, last_, labels_;
  std::span<const ChainExpert> experts_;
  std::optional<ChainConstraint> constraint_;
  ThreadPool& pool_;
  std::vector<std::vector<double>> states_;  // [experts] of all positions, [P][L]
  std::vector<Matrix<double>> tables_;       // [experts] [L][L]
  TransitionScores<double> transitions_;
  std::vector<Worker> workers_;
};

enum class PoolWeights {
  free,       // any numbers
  dirichlet,  // on the simplex, with a Dirichlet prior
  uniform,    // 1 / N each: the geometric mean
  unit        // 1 each: the product
};
// As --pool-weights names them; throws UsageError for another name.
PoolWeights pool_weights_named(std::string_view name);
std::string_view name_of(PoolWeights weights);

struct PoolWeightOptions {
  PoolWeights weights = PoolWeights::free;
  double alpha = 1;  // of the Dirichlet prior, > 0: above 1 it draws to equal weights
  StoppingRule stop{};
  void validate() const;  // throws UsageError
};

struct PoolFit {
  std::vector<double> weights;  // a
  OptimizeResult optimization;  // of f, with minus the log of the prior; not run for fixed weights
  double loss = 0;              // f(a)
};

// Minimises f(a), with the prior, by L-BFGS, from equal weights that sum to 1.
//   checkpoints : may be null
PoolFit fit_pool_weights(PoolFunction& f, const PoolWeightOptions& options, ThreadPool& pool,
                         const IterationCallback& callback = {},
                         Checkpointer* checkpoints = nullptr);

}  // namespace croft

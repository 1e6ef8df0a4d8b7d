// The data term of a chain's training objective, and its gradient, as a BatchFunction.
//
//   f(w) = sum_n L(theta_n(w), y_n),     df/dw = sum_n A_n^T dL/dtheta_n                   (C.11)
//
// The data is cut into waves whose dL/dtheta fits a cache-sized buffer, a wave into groups of
// sequences of about equal length, which the objective sees together, and some groups make a task.
// First every task is scored and its objective evaluated, sums being added in the order of groups
// and tasks; then each attribute's owner adds up its postings.  The sums of waves are added exactly
// (core/exact_sum.h).  So nothing depends on the number of threads, nor on that of the processes of
// the pool, each of which has some of the waves: because it has no others, or to help with all.
//
// A layout with histories puts two linear maps more in between (history_chain.h): the objective
// sees theta' = E theta, and dL/dtheta = E^T dL/dtheta'.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/exact_sum.h"
#include "croft/core/compensated_sum.h"
#include "croft/objective/likelihood.h"
#include "croft/optimize/function.h"
#include "model/history_layout.h"
#include "model/linear_scorer.h"
#include "train/functions/waves.h"

namespace croft {

// Whatever its Real and its Objective.
class ChainFunction : public CurvedFunction {
 public:
  using CurvedFunction::evaluate;
  // As evaluate(w, gradient); also writes columns [first, first + d_state.columns()) of dL/dstate,
  // row by row for all positions of the data.
  virtual double evaluate(std::span<const double> w, std::span<double> gradient, std::size_t first,
                          Matrix<float>& d_state) = 0;
  // Of the last evaluation: how many sums a sequence took another path than the scaled one in Real.
  virtual double slow_share() const = 0;
};

template <class Real>
using ObjectiveMaker = std::function<std::unique_ptr<ChainObjective<Real>>()>;
template <class Real>
std::unique_ptr<ChainObjective<Real>> make_likelihood() {
  return std::make_unique<ChainLikelihood<Real>>();
}

// With histories the objective gets lifted scores, and gold in states.
template <class Real>
class ChainBatchFunction : public ChainFunction {
 public:
  // Keeps references to the first three.  data.node.id are ids of the layout.  Throws Error where
  // the histories of the layout have no path for a labelling of the data.
  //   make_objective : called once for each thread, here
  ChainBatchFunction(const ChainData& data, const ChainLayout& layout, ThreadPool& pool,
                     const ObjectiveMaker<Real>& make_objective = make_likelihood<Real>);

  std::size_t dimension() const override { return layout_.dimension(); }
  // +inf where the scores forbid every labelling that fits what is known of some sequence.
  double evaluate(std::span<const double> w, std::span<double> gradient) override;
  double evaluate(std::span<const double> w, std::span<double> gradient, std::size_t first,
                  Matrix<float>& d_state) override;
  // Requires an objective that is a CurvedChainObjective.
  void hessian_product(std::span<const double> v, std::span<double> out) override;
  double slow_share() const override { return slow_share_; }
  void archive(StateArchive& state) override { state(slow_share_, larger_); }

 private:
  struct Worker {
    std::unique_ptr<ChainObjective<Real>> objective;
    CurvedChainObjective<Real>* curved = nullptr;  // the same, where it is one
    std::vector<ChainScores<Real>> scores;         // [kChainLanes]
    CompensatedSum value;
    std::vector<double> transition;  // [walked().cells()]
    // With histories.
    std::vector<ChainScores<Real>> lifted;      // [kChainLanes]
    std::vector<Matrix<Real>> d_lifted;         // [kChainLanes] dL/dstate, [T][S]
    std::vector<double> tied;                   // [S] for project_tied()
    ChainScores<Real> tangent, lifted_tangent;  // of a product with the Hessian
  };
  void group_waves();
  std::size_t slow() const;
  void evaluate_task(const Wave& wave, std::size_t task, Worker& worker);
  void evaluate_group(const Wave& wave, std::span<const std::uint32_t> group, Worker& worker);
  void evaluate_lifted(std::span<const std::size_t> sequence, std::span<const double> weight,
                       std::span<const ChainGradient<Real>> out, std::span<double> value,
                       Worker& worker);
  void call_objective(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                      std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                      std::span<const std::size_t> sequence, std::span<double> value,
                      Worker& worker);
  // Sums over the data; tied: by transition and, with histories, by state.
  struct TiedSums {
    std::vector<double> transition, state;
  };
  double add_up(std::span<double> gradient, double factor);
  double add_waves(double factor, ExactSum& exact, std::span<double> gradient, TiedSums& tied);
  void set_tied(TiedSums& tied, std::span<double> gradient) const;
  void copy_states(const Wave& wave, std::size_t n);
  void join_states(Matrix<float>& d_state) const;

  const ChainData& data_;
  const ChainLayout& layout_;
  ThreadPool& pool_;
  LinearScorer<Real> scorer_;
  Waves waves_;
  WaveLimits limits_;
  double larger_ = 1;  // times these limits, which some objective needs
  bool grouped_ = false, grouped_for_sparse_ = false;
  std::vector<Worker> workers_;
  LiftedGold gold_;  // with histories
  std::size_t stride_;
  AlignedVector<Real> d_state_;    // [positions of a wave][stride]
  AlignedVector<Real> d_overlay_;  // [overlays of a wave][L][stride]
  double slow_share_ = 0;
  std::size_t first_column_ = 0;                   // of those that go to *states_
  Matrix<float>* states_ = nullptr;                // where the caller wants dL/dstate
  std::unique_ptr<LinearScorer<Real>> direction_;  // scores that of a product with the Hessian
  bool along_ = false;                             // such a product is under way
  std::uint64_t sequences_ = 0;                    // of all processes
};

}  // namespace croft

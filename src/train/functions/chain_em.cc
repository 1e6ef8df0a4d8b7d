#include "train/functions/chain_em.h"

#include <cmath>
#include <limits>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "train/course/weight_em.h"

namespace croft {
namespace {

constexpr std::size_t kStepIterations = 10;  // of L-BFGS, in each M step

// weight log Z, with weight mu: the likelihood less what depends on the gold.
template <class Real>
class LogPartition final : public ChainObjective<Real> {
 public:
  using ChainObjective<Real>::operator();
  void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold>,
                  std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                  std::span<double> value) override {
    log_z_.resize(scores.size());
    marginals<Real>(scores, weight, work_, out, log_z_);
    for (std::size_t k = 0; k < scores.size(); ++k) {
      const double log_z = log_z_[k].value();
      value[k] = std::isfinite(log_z) ? weight[k] * log_z : std::numeric_limits<double>::infinity();
    }
  }
  std::size_t slow() const override { return work_.slow; }

 private:
  BatchWorkspace<Real> work_;
  std::vector<CompensatedSum> log_z_;
};

// Q(.; v), once expect() has been at v.
class ExpectedLikelihood final : public BatchFunction {
 public:
  explicit ExpectedLikelihood(const ChainProblem& problem)
      : likelihood_(make_chain_function(problem, problem.data, problem.layout)),
        log_z_(make_chain_function(unlabelled(problem), problem.data, problem.layout)),
        counts_(problem.layout.dimension()) {}

  std::size_t dimension() const override { return counts_.size(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    const double log_z = log_z_->evaluate(w, gradient);
    for (std::size_t k = 0; k < counts_.size(); ++k) gradient[k] -= counts_[k];
    return log_z - dot(w, counts_) + constant_;
  }

  // L at v, with its gradient; from here on Q is of v.
  double expect(std::span<const double> v, std::span<double> gradient) {
    const double loss = likelihood_->evaluate(v, gradient);
    if (!std::isfinite(loss)) return loss;
    const double log_z = log_z_->evaluate(v, counts_);
    for (std::size_t k = 0; k < counts_.size(); ++k) counts_[k] -= gradient[k];
    constant_ = loss - log_z + dot(v, counts_);
    return loss;
  }

 private:
  ChainProblem unlabelled(const ChainProblem& problem) {
    makers_.single = [] { return std::make_unique<LogPartition<float>>(); };
    makers_.twice = [] { return std::make_unique<LogPartition<double>>(); };
    ChainProblem other = problem;
    other.own_objective = &makers_;
    return other;
  }

  ObjectiveMakers makers_;
  std::unique_ptr<ChainFunction> likelihood_, log_z_;
  std::vector<double> counts_;  // c_v, of each weight
  double constant_ = 0;
};

class ChainEm final : public WeightEm {
 public:
  ChainEm(const ChainProblem& p, std::span<double> w) : WeightEm({p, kStepIterations}, w), f_(p) {
    take_expectations();
    if (!std::isfinite(now().objective)) {
      throw Error(
          "the objective is not finite at the starting point: no labelling that fits what "
          "is known of some sequence is allowed");
    }
  }

 private:
  BatchFunction& expected() override { return f_; }
  double expect(std::span<const double> w, std::span<double> gradient) override {
    return f_.expect(w, gradient);
  }

  ExpectedLikelihood f_;
};

}  // namespace

OptimizeResult train_chain_em(const ChainProblem& problem, std::span<double> w,
                              const IterationCallback& callback, Checkpointer* checkpoints) {
  if (problem.objective != Objective::likelihood || problem.own_objective != nullptr) {
    throw UsageError("--em-iterations goes with --objective likelihood");
  }
  check_m_steps(problem.method);
  if (problem.prior != nullptr && !problem.prior->trivial()) {
    throw UsageError("--em-iterations knows no prior and no variances; leave them out");
  }
  ChainEm run(problem, w);
  return minimize(run, problem.stop, callback, checkpoints);
}

}  // namespace croft

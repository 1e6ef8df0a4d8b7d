#include "train/functions/chain_em.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/optimize/regulariser.h"
#include "train/methods/optimise.h"

namespace croft {
namespace {

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

class ChainEm final : public Optimizer {
 public:
  ChainEm(const ChainProblem& problem, const ChainEmOptions& options, std::span<double> w)
      : problem_(problem), options_(options), w_(w), gradient_(w.size()), f_(problem) {
    expectation_step();
    if (!std::isfinite(now_.objective)) {
      throw Error(
          "the objective is not finite at the starting point: no labelling that fits what "
          "is known of some sequence is allowed");
    }
  }

  const Iteration& now() const override { return now_; }
  bool iterate() override;
  void archive(StateArchive& state) override;

 private:
  void expectation_step();

  const ChainProblem& problem_;
  const ChainEmOptions& options_;
  std::span<double> w_;
  std::vector<double> gradient_;
  ExpectedLikelihood f_;
  Iteration now_;
  std::size_t evaluations_ = 0;
};

bool ChainEm::iterate() {
  const std::vector<double> before(w_.begin(), w_.end());
  const Iteration kept = now_;
  const StoppingRule inner{.max_iterations = options_.m_iterations,
                           .tolerance = 0,
                           .gradient_tolerance = problem_.stop.gradient_tolerance * 0.1};
  evaluations_ += optimise({.method = problem_.method,
                            .settings = problem_.settings,
                            .regulariser = problem_.regulariser,
                            .stop = inner,
                            .seed = problem_.seed,
                            .pool = problem_.pool,
                            .batch = [&]() -> BatchFunction& { return f_; }},
                           w_, {}, nullptr)
                      .evaluations;
  expectation_step();
  now_.number = kept.number + 1;
  if (now_.objective < kept.objective) return true;
  // Q could be lowered no further, or by less than rounding makes of L.
  std::ranges::copy(before, w_.begin());
  now_ = kept;
  now_.evaluations = evaluations_;
  return false;
}

void ChainEm::archive(StateArchive& state) {
  state(w_);
  state(now_);
  state(evaluations_);
  if (!state.reading()) return;
  // Expectations are of w alone; taking them anew is no evaluation of the training.
  const Iteration kept = now_;
  expectation_step();
  now_ = kept;
  now_.w = w_;
  evaluations_ = kept.evaluations;
}

// L at w, and from here on Q(.; w).
void ChainEm::expectation_step() {
  const double data_term = f_.expect(w_, gradient_);
  ++evaluations_;
  const Regulariser& r = problem_.regulariser;
  const std::span<const double> w(w_);
  add_l2_gradient(r, w, gradient_);
  if (r.l1 > 0) pseudo_gradient(r, 0, w, gradient_, gradient_);
  now_.objective = data_term + penalty(r, penalised_absolute(r, 0, w), penalised_square(r, 0, w));
  now_.gradient_norm = std::sqrt(dot(gradient_, gradient_));
  now_.weight_norm = std::sqrt(dot(w, w));
  now_.active = static_cast<std::size_t>(std::ranges::count_if(w, [](double x) { return x != 0; }));
  now_.evaluations = evaluations_;
  now_.step = 1;
  now_.w = w_;
}

}  // namespace

void ChainEmOptions::validate() const {
  if (m_iterations == 0) throw UsageError("the iterations of an M step must be at least 1");
}

OptimizeResult train_chain_em(const ChainProblem& problem, const ChainEmOptions& options,
                              std::span<double> w, const IterationCallback& callback,
                              Checkpointer* checkpoints) {
  options.validate();
  if (problem.objective != Objective::likelihood || problem.own_objective != nullptr) {
    throw UsageError("--em-iterations goes with --objective likelihood");
  }
  if (problem.method != Method::lbfgs && problem.method != Method::owlqn) {
    throw UsageError("--em-iterations: M steps are by --optimizer lbfgs or owlqn, not by ",
                     info(problem.method).name);
  }
  if (problem.prior != nullptr && !problem.prior->trivial()) {
    throw UsageError("--em-iterations knows no prior and no variances; leave them out");
  }
  ChainEm run(problem, options, w);
  return minimize(run, problem.stop, callback, checkpoints);
}

}  // namespace croft

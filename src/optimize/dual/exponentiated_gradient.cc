#include "optimize/dual/dual_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "optimize/dual/dual_variables.h"

namespace croft {
namespace {

constexpr double kRounding = 1e-14;  // of the dual, relative to P

class ExponentiatedGradient final : public DualMethod {
 public:
  ExponentiatedGradient(DualProblem& problem, const ExponentiatedGradientOptions& options)
      : DualMethod(problem),
        options_(options),
        log_loss_(problem.loss() == DualLoss::log_loss),
        longest_(log_loss_ ? 1.0 : std::numeric_limits<double>::max()),
        theta_(problem),
        mu_(problem),
        entropy_(problem.samples()),
        step_(options.batch ? 1 : problem.samples(), options.step),
        scratch_(problem, 5) {
    if (options.batch) scores_.emplace(problem);
    for (std::size_t n = 0; n < problem.samples(); ++n) start(n);
    now_ = evaluated(0);
  }

  std::size_t evaluations() const override { return passes_; }

  bool iterate() override {
    if (options_.batch) return step_all();
    ++passes_;
    draw_order(options_.seed, now_.number + 1, problem_.samples(), order_);
    for (const std::uint32_t n : order_) step_one(n);
    now_ = evaluated(now_.number + 1);
    return true;
  }

  void archive_method(StateArchive& state) override {
    state(theta_, mu_, entropy_, step_, passes_);
  }

 private:
  // theta' favours the parts of the gold labelling; mu moves from it to the marginals of
  // exp(theta').
  void start(std::size_t n) {
    const std::span<double> theta = theta_[n];
    problem_.gold(n, theta);
    std::ranges::copy(theta, mu_[n].begin());
    for (double& score : theta) score = options_.confidence * std::min(1.0, score);
    aim(n, theta);
    accept(n);
  }

  // theta' + eta times the derivative of the dual by mu (D.16).
  void mix(std::span<const double> theta, std::span<const double> scores, double eta,
           std::span<double> out) const {
    const double kept = log_loss_ ? 1 - eta : 1;
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = kept * theta[k] + eta * scores[k];
  }

  // Looks at a theta' for example n; returns |A_n' delta|^2, where delta is how mu_n would change.
  double aim(std::size_t n, std::span<const double> theta) {
    const std::span<double> mu = scratch_(3, theta.size()), delta = scratch_(4, theta.size());
    const double log_z = problem_.sum_oracle(n, theta, mu);
    tried_entropy_ = log_loss_ ? log_z - dot(theta, mu) : 0;
    for (std::size_t k = 0; k < mu.size(); ++k) delta[k] = mu[k] - mu_[n][k];
    return problem_.aim(n, delta);
  }

  // By how much the dual would rise (D.17); scores: at w.
  double rise(std::size_t n, double squared_norm, std::span<const double> scores) {
    const double c = problem_.weight(n);
    return c * (dot(scores, scratch_(4, scores.size())) + tried_entropy_ - entropy_[n]) -
           0.5 * c * c / problem_.l2() * squared_norm;
  }

  // Moves mu_n, and w with it, to where aim() looked.
  void accept(std::size_t n) {
    std::ranges::copy(scratch_(3, mu_[n].size()), mu_[n].begin());
    entropy_[n] = tried_entropy_;
    problem_.move(-problem_.weight(n) / problem_.l2());
  }

  // Halves the step until the dual does not fall.
  void step_one(std::size_t n) {
    const std::span<double> theta = theta_[n], scores = scratch_(1, theta.size());
    const std::span<double> tried = scratch_(2, theta.size());
    problem_.scores(n, scores);
    for (std::size_t k = 0; k < options_.trials; ++k) {
      mix(theta, scores, step_[n], tried);
      if (rise(n, aim(n, tried), scores) >= -kRounding * std::max(1.0, now_.objective)) {
        accept(n);
        std::ranges::copy(tried, theta.begin());
        step_[n] = std::min(longest_, step_[n] * options_.growth);
        return;
      }
      step_[n] *= 0.5;
    }
  }

  // The same for all examples together; false where no step that was tried raises the dual.
  bool step_all() {
    const double bound = dual(now_) - kRounding * std::max(1.0, now_.objective);
    ++passes_;
    for (std::size_t n = 0; n < problem_.samples(); ++n) problem_.scores(n, (*scores_)[n]);
    for (std::size_t k = 0; k < options_.trials; ++k) {
      move_all(step_[0]);
      const Iteration tried = evaluated(now_.number + 1);
      if (dual(tried) >= bound) {
        for (std::size_t n = 0; n < problem_.samples(); ++n) {
          mix(theta_[n], (*scores_)[n], step_[0], theta_[n]);
        }
        step_[0] = std::min(longest_, step_[0] * options_.growth);
        now_ = tried;
        return true;
      }
      move_all(0);
      step_[0] *= 0.5;
    }
    return false;
  }

  static double dual(const Iteration& at) {
    return at.objective - *at.gap * std::max(1.0, at.objective);
  }

  // To where a step eta from theta' leads.
  void move_all(double eta) {
    ++passes_;
    for (std::size_t n = 0; n < problem_.samples(); ++n) {
      const std::span<double> tried = scratch_(2, theta_[n].size());
      mix(theta_[n], (*scores_)[n], eta, tried);
      aim(n, tried);
      accept(n);
    }
  }

  Iteration evaluated(std::size_t number) {
    ++passes_;
    DualValue value;
    for (std::size_t n = 0; n < problem_.samples(); ++n) {
      const std::span<double> scores = scratch_(1, mu_[n].size());
      problem_.scores(n, scores);
      const ExampleValue at = example_value(problem_, n, scores, mu_[n], entropy_[n], scratch_);
      value.add(problem_.weight(n), at, at.gap);
    }
    double steps = 0;
    for (const double step : step_) steps += step / static_cast<double>(step_.size());
    return value.at(problem_, number, passes_, steps);
  }

  const ExponentiatedGradientOptions& options_;
  const bool log_loss_;
  const double longest_;
  PartVectors<double> theta_;                  // theta'
  PartVectors<double> mu_;                     // the marginals of exp(theta')
  std::optional<PartVectors<double>> scores_;  // with batch: theta at w
  std::vector<double> entropy_;                // with log-loss: of mu
  std::vector<double> step_;                   // eta: of each example, or of all
  double tried_entropy_ = 0;
  PartScratch scratch_;
  std::size_t passes_ = 0;
};

}  // namespace

void ExponentiatedGradientOptions::validate() const {
  // Written so that NaN fails too.
  if (!(step > 0)) throw UsageError(fmt::format("step is {}; it must be > 0", step));
  if (!(growth >= 1)) throw UsageError(fmt::format("growth is {}; it must be >= 1", growth));
  check_at_least_one("trials", trials);
  if (!(confidence >= 0)) {
    throw UsageError(fmt::format("confidence is {}; it must be >= 0", confidence));
  }
  stop.validate();
}

OptimizeResult exponentiated_gradient(DualProblem& problem,
                                      const ExponentiatedGradientOptions& options,
                                      const IterationCallback& callback,
                                      Checkpointer* checkpoints) {
  options.validate();
  if (problem.loss() == DualLoss::log_loss && options.step > 1) {
    throw UsageError(fmt::format("step is {}; with log-loss it must be <= 1", options.step));
  }
  ExponentiatedGradient run(problem, options);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft

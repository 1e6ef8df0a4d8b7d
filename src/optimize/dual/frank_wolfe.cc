#include "optimize/dual/dual_methods.h"

#include <algorithm>
#include <optional>

#include "core/vector_math.h"
#include "optimize/dual/dual_variables.h"

namespace croft {
namespace {

class FrankWolfe final : public DualMethod {
 public:
  FrankWolfe(DualProblem& problem, const FrankWolfeOptions& options)
      : DualMethod(problem), options_(options), mu_(problem), scratch_(problem, 3) {
    if (options.average) late_.emplace(problem);
    for (std::size_t n = 0; n < problem.samples(); ++n) problem.gold(n, mu_[n]);
    evaluate(0);
  }

  bool iterate() override {
    shift_average(1);
    for (std::size_t pass = 0; pass < options_.passes; ++pass) {
      draw_order(options_.seed, ++passes_, problem_.samples(), order_);
      for (const std::uint32_t n : order_) step(n);
    }
    shift_average(-1);
    evaluate(now_.number + 1);
    return true;
  }

  void archive_method(StateArchive& state) override {
    state(mu_);
    if (late_) state(*late_);
    state(steps_, passes_);
  }

 private:
  // mu_n <- mu_n + g (s - mu_n), where s is the labelling that the loss is taken at (D.11), (D.12).
  void step(std::size_t n) {
    const std::span<double> mu = mu_[n];
    const std::span<double> theta = scratch_(1, mu.size()), delta = scratch_(2, mu.size());
    problem_.scores(n, theta);
    problem_.max_oracle(n, theta, delta);
    for (std::size_t k = 0; k < mu.size(); ++k) delta[k] -= mu[k];
    ++steps_;
    const double gap = dot(theta, delta);
    if (!(gap > 0)) return;
    const double scale = problem_.weight(n) / problem_.l2();
    const double length = scale * problem_.aim(n, delta);
    const double g = length > gap ? gap / length : 1.0;
    axpy(g, delta, mu);
    problem_.move(-scale * g);
    if (late_) axpy(g * triangle(steps_ - 1), delta, (*late_)[n]);
  }

  // 1 + … + k
  static double triangle(std::uint64_t k) {
    return 0.5 * static_cast<double>(k) * static_cast<double>(k + 1);
  }

  // The average is mu - late / (1 + … + steps) (D.13).  Moves w to where it leads (sign < 0), or
  // back.
  void shift_average(double sign) {
    if (!late_ || steps_ == 0) return;
    for (std::size_t n = 0; n < problem_.samples(); ++n) {
      problem_.aim(n, (*late_)[n]);
      problem_.move(-sign * problem_.weight(n) / problem_.l2() / triangle(steps_));
    }
  }

  void evaluate(std::size_t number) {
    DualValue value;
    for (std::size_t n = 0; n < problem_.samples(); ++n) {
      const std::span<double> theta = scratch_(1, mu_[n].size()), mu = scratch_(2, theta.size());
      problem_.scores(n, theta);
      std::ranges::copy(mu_[n], mu.begin());
      if (late_ && steps_ > 0) axpy(-1 / triangle(steps_), (*late_)[n], mu);
      const ExampleValue at = example_value(problem_, n, theta, mu, 0, scratch_);
      value.add(problem_.weight(n), at, at.gap);
    }
    now_ = value.at(problem_, number, passes_ + number + 1, 1);
  }

  const FrankWolfeOptions& options_;
  PartVectors<double> mu_;
  std::optional<PartVectors<double>>
      late_;  // of each step its move times the weight of those before
  PartScratch scratch_;
  std::uint64_t steps_ = 0;
  std::size_t passes_ = 0;
};

}  // namespace

void FrankWolfeOptions::validate() const {
  check_at_least_one("passes", passes);
  stop.validate();
}

OptimizeResult frank_wolfe(DualProblem& problem, const FrankWolfeOptions& options,
                           const IterationCallback& callback, Checkpointer* checkpoints) {
  options.validate();
  check_loss(problem, DualLoss::hinge, "Frank-Wolfe");
  FrankWolfe run(problem, options);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft

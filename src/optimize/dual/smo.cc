#include "optimize/dual/dual_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "optimize/dual/dual_variables.h"

namespace croft {
namespace {

// What is left of a part that has been emptied is rounding.
constexpr double kNothing = 1e-10;
// An example whose violation is less than this share of the mean gap waits for a later pass.  Below
// 1, since some gap is no less than the mean, and no gap is more than the violation.
constexpr double kWorthwhile = 0.8;

class Smo final : public DualMethod {
 public:
  Smo(DualProblem& problem, const SmoOptions& options)
      : DualMethod(problem),
        options_(options),
        mu_(problem),
        violation_(problem.samples()),
        scratch_(problem, 5) {
    for (std::size_t n = 0; n < problem.samples(); ++n) problem.gold(n, mu_[n]);
    evaluate(0);
  }

  bool iterate() override {
    const std::size_t pass = now_.number + 1;
    draw_order(options_.seed, pass, problem_.samples(), order_);
    for (const std::uint32_t n : order_) {
      if (violation_[n] > enough(n)) improve(n);
    }
    evaluate(pass);
    return true;
  }

  void archive_method(StateArchive& state) override { state(mu_, violation_); }

 private:
  struct Pair {
    std::span<double> theta, up, down;  // scores, 1[best labelling], 1[worst active labelling]
    double violation;                   // their difference in score (D.14)
  };

  Pair find_pair(std::size_t n) {
    const std::span<double> mu = mu_[n];
    Pair pair{scratch_(1, mu.size()), scratch_(2, mu.size()), scratch_(3, mu.size()), 0};
    problem_.scores(n, pair.theta);
    const double best = problem_.max_oracle(n, pair.theta, pair.up);
    const std::span<double> active = scratch_(4, mu.size());
    for (std::size_t k = 0; k < mu.size(); ++k) {
      active[k] = mu[k] > kNothing ? -pair.theta[k] : -std::numeric_limits<double>::infinity();
    }
    pair.violation = best + problem_.max_oracle(n, active, pair.down);
    return pair;
  }

  // Of an example, at the last evaluation.
  double mean_gap() const {
    return *now_.gap * std::max(1.0, now_.objective) / static_cast<double>(problem_.samples());
  }

  // Violations up to this wait for a later pass.
  double enough(std::size_t n) const {
    return std::max(options_.stop.gradient_tolerance,
                    kWorthwhile * mean_gap() / problem_.weight(n));
  }

  // Pairs of example n, until its violation is small.
  void improve(std::size_t n) {
    double enough = this->enough(n);
    for (std::size_t k = 0; k < options_.pairs; ++k) {
      const Pair pair = find_pair(n);
      if (!(pair.violation > enough)) return;
      if (k == 0) enough = std::max(enough, options_.enough * pair.violation);
      step(n, pair);
    }
  }

  // Moves g from `down` to `up` (D.15): as far as the dual rises, and as there is something to
  // move.
  void step(std::size_t n, const Pair& pair) {
    const std::span<double> mu = mu_[n], delta = pair.up;
    double room = 1;
    for (std::size_t k = 0; k < mu.size(); ++k) {
      delta[k] -= pair.down[k];
      if (delta[k] < 0) room = std::min(room, mu[k]);
    }
    const double scale = problem_.weight(n) / problem_.l2();
    const double length = scale * problem_.aim(n, delta);
    const double g = length * room > pair.violation ? pair.violation / length : room;
    axpy(g, delta, mu);
    problem_.move(-scale * g);
  }

  void evaluate(std::size_t number) {
    DualValue value;
    for (std::size_t n = 0; n < problem_.samples(); ++n) {
      const Pair pair = find_pair(n);
      violation_[n] = pair.violation;
      const double best = dot(pair.theta, pair.up), at_mu = dot(pair.theta, mu_[n]);
      problem_.gold(n, pair.up);
      value.add(problem_.weight(n), {best - dot(pair.theta, pair.up), std::max(0.0, best - at_mu)},
                pair.violation);
    }
    now_ = value.at(problem_, number, 2 * number + 1, 1);
  }

  const SmoOptions& options_;
  PartVectors<double> mu_;
  std::vector<double> violation_;  // (D.14), at the last evaluation
  PartScratch scratch_;
};

}  // namespace

void SmoOptions::validate() const {
  check_at_least_one("pairs", pairs);
  if (!(enough >= 0 && enough < 1)) {
    throw UsageError(fmt::format("enough is {}; it must be >= 0 and < 1", enough));
  }
  stop.validate();
}

OptimizeResult smo(DualProblem& problem, const SmoOptions& options,
                   const IterationCallback& callback, Checkpointer* checkpoints) {
  options.validate();
  check_loss(problem, DualLoss::hinge, "SMO");
  check_exact_parts(problem, "SMO");
  Smo run(problem, options);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft

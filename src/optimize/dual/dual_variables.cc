#include "optimize/dual/dual_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/vector_math.h"
#include "croft/core/error.h"

namespace croft {

std::size_t all_parts(const DualProblem& problem) {
  std::size_t sum = 0;
  for (std::size_t n = 0; n < problem.samples(); ++n) sum += problem.parts(n);
  return sum;
}

std::size_t most_parts(const DualProblem& problem) {
  std::size_t most = 0;
  for (std::size_t n = 0; n < problem.samples(); ++n) most = std::max(most, problem.parts(n));
  return most;
}

double loss_oracle(DualProblem& problem, std::size_t n, std::span<const double> theta,
                   std::span<double> mu) {
  return problem.loss() == DualLoss::hinge ? problem.max_oracle(n, theta, mu)
                                           : problem.sum_oracle(n, theta, mu);
}

ExampleValue example_value(DualProblem& problem, std::size_t n, std::span<const double> theta,
                           std::span<const double> mu, double entropy, PartScratch& scratch) {
  const std::span<double> y = scratch(0, theta.size());
  const double most = loss_oracle(problem, n, theta, y);
  problem.gold(n, y);
  return {std::max(0.0, most - dot(theta, y)), std::max(0.0, most - entropy - dot(theta, mu))};
}

Iteration DualValue::at(DualProblem& problem, std::size_t number, std::size_t evaluations,
                        double step) const {
  Iteration now;
  const double squared_norm = problem.squared_norm();
  now.number = number;
  now.evaluations = evaluations;
  now.objective = 0.5 * problem.l2() * squared_norm + loss_;
  now.gradient_norm = violation_;
  now.weight_norm = std::sqrt(squared_norm);
  now.active = count_nonzero(problem.weights());
  now.step = step;
  now.gap = gap_ / std::max(1.0, now.objective);
  now.w = problem.weights();
  return now;
}

void check_loss(const DualProblem& problem, DualLoss loss, const char* method) {
  if (problem.loss() == loss) return;
  throw UsageError(fmt::format("{} needs the {}; the problem has the {}", method,
                               loss == DualLoss::hinge ? "hinge" : "log-loss",
                               loss == DualLoss::hinge ? "log-loss" : "hinge"));
}

void check_exact_parts(const DualProblem& problem, const char* method) {
  if (problem.exact_parts()) return;
  throw UsageError(
      fmt::format("{} needs parts by position; those of the problem are tied", method));
}

}  // namespace croft

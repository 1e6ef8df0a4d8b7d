#include "optimize/dual/dual_problem.h"

#include "core/vector_math.h"

namespace croft {

LogLossView DualProblem::look(std::size_t n, std::span<const double> mu, std::span<double> delta) {
  theta_.resize(mu.size());
  scores(n, theta_);
  LogLossView view{.log_partition = sum_oracle(n, theta_, delta), .expected = dot(theta_, mu)};
  for (std::size_t k = 0; k < mu.size(); ++k) delta[k] -= mu[k];
  view.slope = dot(theta_, delta);
  gold_.resize(mu.size());
  gold(n, gold_);
  view.gold = dot(theta_, gold_);
  return view;
}

LogLossView DualProblem::look(std::size_t n, std::span<const float> mu, std::span<float> delta) {
  wide_mu_.assign(mu.begin(), mu.end());
  wide_delta_.resize(mu.size());
  const LogLossView view = look(n, wide_mu_, std::span(wide_delta_));
  for (std::size_t k = 0; k < delta.size(); ++k) delta[k] = static_cast<float>(wide_delta_[k]);
  return view;
}

double DualProblem::aim(std::size_t n, std::span<const float> delta) {
  wide_delta_.assign(delta.begin(), delta.end());
  return aim(n, std::span<const double>(wide_delta_));
}

EntropyPoint DualProblem::entropy(std::size_t n, std::span<const float> mu,
                                  std::span<const float> delta, double g) {
  wide_mu_.assign(mu.begin(), mu.end());
  wide_delta_.assign(delta.begin(), delta.end());
  return entropy(n, std::span<const double>(wide_mu_), std::span<const double>(wide_delta_), g);
}

}  // namespace croft

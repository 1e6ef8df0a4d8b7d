// Log densities of the scalar distributions whose parameters are scalars, for inner loops.
//
// Each is a template of the part that is wanted, so that a sampler of the value, or of the
// parameters, computes no logarithm or log gamma that cancels.  docs/math/bugs_distributions.md has
// the formulas.  A value outside the support, or parameters that are not allowed: -inf.
#pragma once
#include <cmath>
#include <limits>
#include <numbers>

#include "bugs/distributions.h"
#include "core/chi_squared.h"

namespace croft::bugs {

inline constexpr double kNever = -std::numeric_limits<double>::infinity();

inline bool is_whole(double x) { return x == std::floor(x); }

// ln (n choose k) of real n >= k >= 0.
inline double log_choose(double n, double k) {
  return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1);
}

inline double log_beta_function(double a, double b) {
  return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
}

// a ln b, with 0 ln 0 = 0.
inline double times_log(double a, double b) { return a == 0 ? 0 : a * std::log(b); }

template <Part part>
double normal_density(double x, double mu, double tau) {
  const double d = x - mu;
  double sum = -0.5 * tau * d * d;
  if constexpr (part != Part::of_value) {
    if (!(tau > 0)) return kNever;
    sum += 0.5 * std::log(tau);
  }
  if constexpr (part == Part::whole) sum -= 0.91893853320467274178;  // ln sqrt(2 pi)
  return sum;
}

template <Part part>
double gamma_density(double x, double r, double rate) {
  if (!(x >= 0) || !(r > 0) || !(rate > 0)) return kNever;
  if (x == 0) {
    if (r > 1) return kNever;
    if (r < 1) return -kNever;
  }
  double sum = times_log(r - 1, x) - rate * x;
  if constexpr (part != Part::of_value) sum += r * std::log(rate) - log_gamma(r);
  return sum;
}

template <Part part>
double beta_density(double x, double a, double b) {
  if (!(x >= 0 && x <= 1) || !(a > 0) || !(b > 0)) return kNever;
  double sum = (a == 1 ? 0 : (a - 1) * std::log(x)) + (b == 1 ? 0 : (b - 1) * std::log1p(-x));
  if constexpr (part != Part::of_value) sum -= log_beta_function(a, b);
  return sum;
}

template <Part part>
double uniform_density(double x, double a, double b) {
  if (!(x >= a && x <= b)) return kNever;
  if constexpr (part == Part::of_value) return 0;
  return -std::log(b - a);
}

template <Part part>
double exponential_density(double x, double rate) {
  if (!(x >= 0) || !(rate > 0)) return kNever;
  if constexpr (part == Part::of_value) return -rate * x;
  return std::log(rate) - rate * x;
}

template <Part part>
double weibull_density(double x, double v, double rate) {
  if (!(x >= 0) || !(v > 0) || !(rate > 0)) return kNever;
  double sum = times_log(v - 1, x) - rate * std::pow(x, v);
  if constexpr (part != Part::of_value) sum += std::log(v * rate);
  return sum;
}

template <Part part>
double log_normal_density(double x, double mu, double tau) {
  if (!(x > 0)) return kNever;
  const double log_x = std::log(x);
  const double sum = normal_density<part>(log_x, mu, tau);
  return part == Part::of_parameters ? sum : sum - log_x;
}

template <Part part>
double logistic_density(double x, double mu, double tau) {
  if (!(tau > 0)) return kNever;
  const double z = std::fabs(x - mu) * tau;  // symmetric
  const double sum = -z - 2 * std::log1p(std::exp(-z));
  return part == Part::of_value ? sum : sum + std::log(tau);
}

template <Part part>
double student_density(double x, double mu, double tau, double k) {
  if (!(tau > 0) || !(k > 0)) return kNever;
  const double d = x - mu;
  double sum = -0.5 * (k + 1) * std::log1p(tau * d * d / k);
  if constexpr (part != Part::of_value)
    sum += log_gamma(0.5 * (k + 1)) - log_gamma(0.5 * k) +
           0.5 * std::log(tau / (k * std::numbers::pi));
  return sum;
}

template <Part part>
double laplace_density(double x, double mu, double tau) {
  if (!(tau > 0)) return kNever;
  const double sum = -tau * std::fabs(x - mu);
  return part == Part::of_value ? sum : sum + std::log(0.5 * tau);
}

template <Part part>
double pareto_density(double x, double alpha, double c) {
  if (!(alpha > 0) || !(c > 0) || !(x >= c)) return kNever;
  const double sum = -(alpha + 1) * std::log(x);
  return part == Part::of_value ? sum : sum + std::log(alpha) + alpha * std::log(c);
}

// x^(n/2 - 1) (n/m)^(n/2) (1 + n x / m)^(-(n + m)/2) = (1 + m / (n x))^(-n/2) (1 + n x / m)^(-m/2)
// / x
template <Part part>
double f_density(double x, double n, double m) {
  if (!(x >= 0) || !(n > 0) || !(m > 0)) return kNever;
  const double odds = n * x / m;
  double sum = 0;
  if (odds > 0) {
    sum = -0.5 * (n * std::log1p(1 / odds) + m * std::log1p(odds)) - std::log(x);
  } else {
    sum = times_log(0.5 * n - 1, x) + 0.5 * n * std::log(n / m);
  }
  if constexpr (part != Part::of_value) sum -= log_beta_function(0.5 * n, 0.5 * m);
  return sum;
}

template <Part part>
double generalized_gamma_density(double x, double r, double rate, double b) {
  if (!(x >= 0) || !(r > 0) || !(rate > 0) || !(b > 0)) return kNever;
  double sum = times_log(b * r - 1, x) - std::pow(rate * x, b);
  if constexpr (part != Part::of_value) sum += std::log(b) + b * r * std::log(rate) - log_gamma(r);
  return sum;
}

// Density of x = 1 / sigma^2; sigma has a half t with k degrees of freedom and the scale s.
template <Part part>
double scaled_gamma_density(double x, double s, double k) {
  if (!(s > 0) || !(k > 0)) return kNever;
  const double square = s * s, sum = f_density<part>(square * x, k, 1);
  return part == Part::of_value ? sum : sum + std::log(square);
}

inline double rounded_to(double t, double d) {
  const double scale = std::pow(10, d);
  return std::round(t * scale) / scale;
}

// 1 where x is t to d decimals.
inline double rounded_density(double x, double t, double d) {
  const double scale = std::pow(10, d);
  return std::fabs(x - t) * scale <= 0.5 + 1e-15 * scale * std::fabs(x) ? 0 : kNever;
}

// Boost.Math's series; distributions/cumulative.cc.
double noncentral_chi_squared_density(double x, double k, double delta);

template <Part>
double bernoulli_density(double x, double p) {
  if (!(p >= 0 && p <= 1)) return kNever;
  if (x == 1) return std::log(p);
  if (x == 0) return std::log1p(-p);
  return kNever;
}

template <Part part>
double binomial_density(double x, double p, double n) {
  if (!(x >= 0 && x <= n) || !is_whole(x) || !(p >= 0 && p <= 1)) return kNever;
  double sum = (x == 0 ? 0 : x * std::log(p)) + (x == n ? 0 : (n - x) * std::log1p(-p));
  if constexpr (part == Part::whole) sum += log_choose(n, x);
  // Of the value: n! cancels; of the parameters: x! cancels, and n may be one of them.
  if constexpr (part == Part::of_value) sum -= log_gamma(x + 1) + log_gamma(n - x + 1);
  if constexpr (part == Part::of_parameters) sum += log_gamma(n + 1) - log_gamma(n - x + 1);
  return sum;
}

template <Part part>
double poisson_density(double x, double mean) {
  if (!(x >= 0) || !is_whole(x) || !(mean >= 0)) return kNever;
  double sum = x == 0 ? 0 : x * std::log(mean);
  if constexpr (part != Part::of_value) sum -= mean;
  if constexpr (part != Part::of_parameters) sum -= log_gamma(x + 1);
  return sum;
}

template <Part part>
double negative_binomial_density(double x, double p, double r) {
  if (!(x >= 0) || !is_whole(x) || !(p > 0 && p <= 1) || !(r >= 0)) return kNever;
  if (r == 0) return x == 0 ? 0 : kNever;
  double sum = x == 0 ? 0 : x * std::log1p(-p) + log_gamma(x + r);
  if constexpr (part != Part::of_value)
    sum += r * std::log(p) - (x == 0 ? 0 : log_gamma(r));
  else
    sum += x == 0 ? log_gamma(r) : 0;  // both terms of gamma(x + r) or none
  if constexpr (part != Part::of_parameters) sum -= log_gamma(x + 1);
  return sum;
}

template <Part>
double geometric_density(double x, double p) {
  if (!(x >= 1) || !is_whole(x) || !(p > 0 && p <= 1)) return kNever;
  return std::log(p) + (x == 1 ? 0 : (x - 1) * std::log1p(-p));
}

template <Part part>
double beta_binomial_density(double x, double a, double b, double n) {
  if (!(x >= 0 && x <= n) || !is_whole(x) || !(a > 0) || !(b > 0)) return kNever;
  double sum = log_gamma(a + x) + log_gamma(b + n - x);
  if constexpr (part != Part::of_value) sum -= log_gamma(a + b + n) + log_beta_function(a, b);
  if constexpr (part == Part::whole) sum += log_choose(n, x);
  if constexpr (part == Part::of_value) sum -= log_gamma(x + 1) + log_gamma(n - x + 1);
  if constexpr (part == Part::of_parameters) sum += log_gamma(n + 1) - log_gamma(n - x + 1);
  return sum;
}

// Of those whose parameters are all scalars (distribution(id).parameters says which), without the
// views: p[0], p[1], ... are the parameters in their order.  The hypergeometric one sums its
// support.
template <Part part>
double scalar_density(DistributionId id, double x, const double* p) {
  switch (id) {
    case DistributionId::normal:
      return normal_density<part>(x, p[0], p[1]);
    case DistributionId::gamma:
      return gamma_density<part>(x, p[0], p[1]);
    case DistributionId::beta:
      return beta_density<part>(x, p[0], p[1]);
    case DistributionId::uniform:
      return uniform_density<part>(x, p[0], p[1]);
    case DistributionId::exponential:
      return exponential_density<part>(x, p[0]);
    case DistributionId::weibull:
      return weibull_density<part>(x, p[0], p[1]);
    case DistributionId::log_normal:
      return log_normal_density<part>(x, p[0], p[1]);
    case DistributionId::logistic:
      return logistic_density<part>(x, p[0], p[1]);
    case DistributionId::student:
      return student_density<part>(x, p[0], p[1], p[2]);
    case DistributionId::laplace:
      return laplace_density<part>(x, p[0], p[1]);
    case DistributionId::pareto:
      return pareto_density<part>(x, p[0], p[1]);
    case DistributionId::chi_squared:
      return gamma_density<part>(x, 0.5 * p[0], 0.5);
    case DistributionId::f:
      return f_density<part>(x, p[0], p[1]);
    case DistributionId::generalized_gamma:
      return generalized_gamma_density<part>(x, p[0], p[1], p[2]);
    case DistributionId::noncentral_chi_squared:
      return noncentral_chi_squared_density(x, p[0], p[1]);
    case DistributionId::scaled_gamma:
      return scaled_gamma_density<part>(x, p[0], p[1]);
    case DistributionId::flat:
      return 0;
    case DistributionId::log_likelihood:  // of whatever x
      return std::isnan(p[0]) ? kNever : p[0];
    case DistributionId::rounded:
      return rounded_density(x, p[0], p[1]);
    case DistributionId::copied:
      return 0;
    case DistributionId::bernoulli:
      return bernoulli_density<part>(x, p[0]);
    case DistributionId::binomial:
      return binomial_density<part>(x, p[0], p[1]);
    case DistributionId::poisson:
      return poisson_density<part>(x, p[0]);
    case DistributionId::negative_binomial:
      return negative_binomial_density<part>(x, p[0], p[1]);
    case DistributionId::geometric:
      return geometric_density<part>(x, p[0]);
    case DistributionId::beta_binomial:
      return beta_binomial_density<part>(x, p[0], p[1], p[2]);
    default:
      break;
  }
  const Numbers views[] = {{p, 1}, {p + 1, 1}, {p + 2, 1}, {p + 3, 1}};
  return log_density(id, {&x, 1}, views, part);
}

}  // namespace croft::bugs

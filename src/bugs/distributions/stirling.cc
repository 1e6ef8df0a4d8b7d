#include "bugs/distributions/stirling.h"

#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/chi_squared.h"

namespace croft::bugs {
namespace {

constexpr double kLogRootTwoPi = 0.91893853320467274178;
constexpr double kLarge = 10;  // from here on the series has 14 digits

// (S.1)
double rest(double a) {
  if (a < kLarge) return log_gamma(a) - (a - 0.5) * std::log(a) + a - kLogRootTwoPi;
  const double s = 1 / (a * a);
  return (1. / 12 - s * (1. / 360 - s * (1. / 1260 - s * (1. / 1680 - s / 1188)))) / a;
}

// ln(1 + r) - r
double log_less(double r) {
  return std::fabs(r) < 0.5 ? boost::math::log1pmx(r) : std::log1p(r) - r;
}

// v ln(v / m) + m - v >= 0 of positive numbers.
double deviance(double v, double m) {
  const double r = (m - v) / v;
  return std::fabs(r) < 0.5 ? -v * log_less(r) : v * (std::log(v) - std::log(m)) + m - v;
}

// b ln y, y = 1 - x.
double power_log(double b, double y, double x) {
  return b * (x < 0.5 ? std::log1p(-x) : std::log(y));
}

}  // namespace

double log_gamma_excess(double c, double s) {
  if (c < kLarge || c + s < kLarge) return log_gamma(c + s) - log_gamma(c) - s * std::log(c);
  const double r = s / c;
  const double turn =  // (1 + r) ln(1 + r) - r
      std::fabs(r) < 0.5 ? (1 + r) * log_less(r) + r * r : (1 + r) * std::log1p(r) - r;
  return c * turn - 0.5 * std::log1p(r) + rest(c + s) - rest(c);
}

double log_gamma_step(double c, double s) {
  if (c < kLarge || c + s < kLarge) return log_gamma(c + s) - log_gamma(c);
  return s * std::log(c) + log_gamma_excess(c, s);
}

double log_gamma_step_ratio(double p, double q, double t, double s) {
  // The roles of s and t are equal: the smaller one is the step.
  if (std::fabs(t) > std::fabs(s)) {
    const double ratio = std::fabs(t) < 0.5 * q ? std::log1p(t / q) : std::log(p) - std::log(q);
    return s * ratio + log_gamma_excess(p, s) - log_gamma_excess(q, s);
  }
  if (q < kLarge || q + s < kLarge) {
    return log_gamma_step(q + s, t) - (log_gamma(p) - log_gamma(q));
  }
  const double ratio = std::fabs(s) < 0.5 * q ? std::log1p(s / q) : std::log(q + s) - std::log(q);
  return t * ratio + log_gamma_excess(q + s, t) - log_gamma_excess(q, t);
}

double log_gamma_kernel(double a, double x) {
  if (a < kLarge) return a * std::log(x) - x - log_gamma(a);
  return -deviance(a, x) + 0.5 * std::log(a) - kLogRootTwoPi - rest(a);
}

double log_beta(double a, double b) {
  if (a > b) std::swap(a, b);
  if (a < kLarge) return log_gamma(a) - log_gamma_step(b, a);
  const double share = a / (a + b);
  return a * std::log(share) + b * std::log1p(-share) - 0.5 * std::log(a) -
         0.5 * std::log1p(-share) + kLogRootTwoPi + rest(a) + rest(b) - rest(a + b);
}

double log_beta_kernel(double a, double b, double x, double y) {
  if (a < kLarge || b < kLarge) {
    return a * (y < 0.5 ? std::log1p(-y) : std::log(x)) + power_log(b, y, x) - log_beta(a, b);
  }
  const double n = a + b;
  return -deviance(a, n * x) - deviance(b, n * y) + 0.5 * (std::log(a) + std::log(b / n)) -
         kLogRootTwoPi + rest(n) - rest(a) - rest(b);
}

}  // namespace croft::bugs

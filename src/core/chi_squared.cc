#include "core/chi_squared.h"

#include <math.h>

#include <cmath>
#include <limits>

namespace croft {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// x^a e^-x / gamma(a), which both expansions have as a factor.
double front(double a, double x) { return std::exp(a * std::log(x) - x - log_gamma(a)); }

// P(a, x) = front * sum_k x^k / (a (a + 1) ... (a + k)): quick for x < a + 1.
double lower_by_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (double k = 1; term > sum * kEpsilon; ++k) sum += term *= x / (a + k);
  return front(a, x) * sum;
}

// Q(a, x) = front / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / (x + 5 - a - ...))), by
// Lentz's product of ratios: quick for x > a + 1.
double upper_by_fraction(double a, double x) {
  double b = x + 1 - a, ratio = 1 / b, c = std::numeric_limits<double>::max(), value = ratio;
  for (double k = 1; k < 1e6; ++k) {
    const double numerator = k * (a - k);
    b += 2;
    ratio = 1 / (b + numerator * ratio);
    c = b + numerator / c;
    value *= c * ratio;
    if (std::abs(c * ratio - 1) < 2 * kEpsilon) break;
  }
  return front(a, x) * value;
}

}  // namespace

double log_gamma(double x) {
  int sign = 1;
  return ::lgamma_r(x, &sign);
}

double chi_squared_tail(double x, double freedom) {
  if (!(x > 0)) return 1;
  const double a = freedom / 2, half = x / 2;
  return half < a + 1 ? 1 - lower_by_series(a, half) : upper_by_fraction(a, half);
}

}  // namespace croft

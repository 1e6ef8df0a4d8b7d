#include "bugs/distributions/cumulative.h"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/non_central_chi_squared.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numeric>

#include "bugs/distributions/array_distributions.h"
#include "bugs/distributions/densities.h"
#include "bugs/distributions/stirling.h"
#include "bugs/distributions/unimodal.h"

namespace croft::bugs {
namespace {

namespace bm = boost::math;
using Id = DistributionId;

// What cannot be computed is NaN or infinite, and no exception.
using Quiet =
    bm::policies::policy<bm::policies::domain_error<bm::policies::ignore_error>,
                         bm::policies::pole_error<bm::policies::ignore_error>,
                         bm::policies::overflow_error<bm::policies::ignore_error>,
                         bm::policies::underflow_error<bm::policies::ignore_error>,
                         bm::policies::denorm_error<bm::policies::ignore_error>,
                         bm::policies::evaluation_error<bm::policies::ignore_error>,
                         bm::policies::rounding_error<bm::policies::ignore_error>,
                         bm::policies::indeterminate_result_error<bm::policies::ignore_error>,
                         bm::policies::promote_double<false>>;
const Quiet kQuiet;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// P(X <= x) where `upper` is false, else P(X > x).
double gamma_tail(double shape, double x, bool upper) {
  if (!(x > 0)) return upper ? 1 : 0;
  if (x == kInfinite) return upper ? 0 : 1;
  return upper ? bm::gamma_q(shape, x, kQuiet) : bm::gamma_p(shape, x, kQuiet);
}

double gamma_point(double shape, double p, bool upper) {
  return upper ? bm::gamma_q_inv(shape, p, kQuiet) : bm::gamma_p_inv(shape, p, kQuiet);
}

double beta_tail(double a, double b, double x, bool upper) {
  if (!(x > 0)) return upper ? 1 : 0;
  if (x >= 1) return upper ? 0 : 1;
  return upper ? bm::ibetac(a, b, x, kQuiet) : bm::ibeta(a, b, x, kQuiet);
}

struct BetaPoint {
  double x, one_minus_x;
};

BetaPoint beta_point(double a, double b, double p, bool upper) {
  BetaPoint point{};
  point.x = upper ? bm::ibetac_inv(a, b, p, &point.one_minus_x, kQuiet)
                  : bm::ibeta_inv(a, b, p, &point.one_minus_x, kQuiet);
  return point;
}

double normal_tail_of(double z, bool upper) {
  return 0.5 * std::erfc((upper ? z : -z) * std::numbers::sqrt2 / 2);
}

double normal_point(double p, bool upper) {
  const double z = -std::numbers::sqrt2 * bm::erfc_inv(2 * p, kQuiet);
  return upper ? -z : z;
}

double student_tail(double t, double k, bool upper) {
  if (std::isinf(t)) return (t > 0) == upper ? 0 : 1;
  const double square = t * t;
  const double outer = square < k ? 0.5 * bm::ibetac(0.5, 0.5 * k, square / (k + square), kQuiet)
                                  : 0.5 * bm::ibeta(0.5 * k, 0.5, k / (k + square), kQuiet);
  return (t > 0) == upper ? outer : 1 - outer;
}

double student_point(double p, double k, bool upper) {
  if (p == 0.5) return 0;
  const double outer = std::min(p, 1 - p);
  const BetaPoint point = beta_point(0.5 * k, 0.5, 2 * outer, false);
  const double t = std::sqrt(k * point.one_minus_x / point.x);
  return (p < 0.5) == upper ? t : -t;
}

double logistic_tail(double z, bool upper) { return 1 / (1 + std::exp(upper ? z : -z)); }

double laplace_tail(double z, bool upper) {
  const double outer = 0.5 * std::exp(-std::fabs(z));
  return (z > 0) == upper ? outer : 1 - outer;
}

double exponential_tail(double z, bool upper) {
  if (!(z > 0)) return upper ? 1 : 0;
  return upper ? std::exp(-z) : -std::expm1(-z);
}

double exponential_point(double p, bool upper) { return upper ? -std::log(p) : -std::log1p(-p); }

double noncentral_tail(double x, double k, double delta, bool upper) {
  if (!(x > 0)) return upper ? 1 : 0;
  if (x == kInfinite) return upper ? 0 : 1;
  if (delta == 0) return gamma_tail(0.5 * k, 0.5 * x, upper);
  const bm::non_central_chi_squared_distribution<double, Quiet> law(k, delta);
  return upper ? bm::cdf(bm::complement(law, x)) : bm::cdf(law, x);
}

double noncentral_point(double p, double k, double delta, bool upper) {
  if (delta == 0) return 2 * gamma_point(0.5 * k, p, upper);
  const bm::non_central_chi_squared_distribution<double, Quiet> law(k, delta);
  return upper ? bm::quantile(bm::complement(law, p)) : bm::quantile(law, p);
}

double continuous_tail(Id id, double x, Parameters q, bool upper) {
  const auto p = [&](std::size_t i) { return q[i][0]; };
  switch (id) {
    case Id::normal:
      return normal_tail_of((x - p(0)) * std::sqrt(p(1)), upper);
    case Id::gamma:
      return gamma_tail(p(0), p(1) * x, upper);
    case Id::beta:
      return beta_tail(p(0), p(1), x, upper);
    case Id::uniform: {
      const double inside = std::clamp((x - p(0)) / (p(1) - p(0)), 0.0, 1.0);
      return upper ? 1 - inside : inside;
    }
    case Id::exponential:
      return exponential_tail(p(0) * x, upper);
    case Id::weibull:
      return exponential_tail(x > 0 ? p(1) * std::pow(x, p(0)) : 0, upper);
    case Id::log_normal:
      return normal_tail_of(x > 0 ? (std::log(x) - p(0)) * std::sqrt(p(1)) : -kInfinite, upper);
    case Id::logistic:
      return logistic_tail((x - p(0)) * p(1), upper);
    case Id::student:
      return student_tail((x - p(0)) * std::sqrt(p(1)), p(2), upper);
    case Id::laplace:
      return laplace_tail((x - p(0)) * p(1), upper);
    case Id::pareto:
      return exponential_tail(x > p(1) ? p(0) * std::log(x / p(1)) : 0, upper);
    case Id::chi_squared:
      return gamma_tail(0.5 * p(0), 0.5 * x, upper);
    case Id::f: {
      if (!(x > 0)) return upper ? 1 : 0;
      if (x == kInfinite) return upper ? 0 : 1;
      const double n = 0.5 * p(0), m = 0.5 * p(1), whole = n * x + m;
      return n * x < m ? beta_tail(n, m, n * x / whole, upper) : beta_tail(m, n, m / whole, !upper);
    }
    case Id::scaled_gamma: {
      const double k = p(1), one = 1;
      const Numbers views[] = {{&k, 1}, {&one, 1}};
      return continuous_tail(Id::f, x * p(0) * p(0), views, upper);
    }
    case Id::generalized_gamma:
      return gamma_tail(p(0), x > 0 ? std::pow(p(1) * x, p(2)) : 0, upper);
    case Id::noncentral_chi_squared:
      return noncentral_tail(x, p(0), p(1), upper);
    default:
      return kNoNumber;
  }
}

double discrete_tail(Id id, double x, Parameters q, bool upper) {
  const auto p = [&](std::size_t i) { return q[i][0]; };
  x = std::floor(x);
  const Bounds bounds = support(id, q);
  if (x < bounds.lower) return upper ? 1 : 0;
  if (x >= bounds.upper) return upper ? 0 : 1;
  switch (id) {
    case Id::bernoulli:
      return upper ? p(0) : 1 - p(0);
    case Id::binomial:
      return beta_tail(x + 1, p(1) - x, p(0), !upper);
    case Id::poisson:
      return gamma_tail(x + 1, p(0), !upper);
    case Id::negative_binomial:
      return p(1) == 0 ? (upper ? 0 : 1) : beta_tail(p(1), x + 1, p(0), upper);
    case Id::geometric: {
      const double log_above = x * std::log1p(-p(0));
      return upper ? std::exp(log_above) : -std::expm1(log_above);
    }
    default:
      return kNoNumber;
  }
}

double tail(Id id, double x, Parameters parameters, bool upper) {
  if (!parameters_fit(id, parameters) || std::isnan(x)) return kNoNumber;
  if (!is_moderate(id, {x, x}, parameters)) {
    const double next = distribution(id).discrete ? std::floor(x) + 1 : x;
    return std::exp(log_interval_probability(
        id, upper ? Bounds{next, kInfinite} : Bounds{-kInfinite, x}, parameters));
  }
  return distribution(id).discrete ? discrete_tail(id, x, parameters, upper)
                                   : continuous_tail(id, x, parameters, upper);
}

double continuous_point(Id id, double u, Parameters q, bool upper) {
  const auto p = [&](std::size_t i) { return q[i][0]; };
  switch (id) {
    case Id::normal:
      return p(0) + normal_point(u, upper) / std::sqrt(p(1));
    case Id::gamma:
      return gamma_point(p(0), u, upper) / p(1);
    case Id::beta:
      return beta_point(p(0), p(1), u, upper).x;
    case Id::uniform:
      return p(0) + (p(1) - p(0)) * (upper ? 1 - u : u);
    case Id::exponential:
      return exponential_point(u, upper) / p(0);
    case Id::weibull:
      return std::pow(exponential_point(u, upper) / p(1), 1 / p(0));
    case Id::log_normal:
      return std::exp(p(0) + normal_point(u, upper) / std::sqrt(p(1)));
    case Id::logistic: {
      const double z = std::log(u) - std::log1p(-u);
      return p(0) + (upper ? -z : z) / p(1);
    }
    case Id::student:
      return p(0) + student_point(u, p(2), upper) / std::sqrt(p(1));
    case Id::laplace: {
      const double z = u < 0.5 ? std::log(2 * u) : -std::log(2 * (1 - u));
      return p(0) + (upper ? -z : z) / p(1);
    }
    case Id::pareto:
      return p(1) * std::exp(exponential_point(u, upper) / p(0));
    case Id::chi_squared:
      return 2 * gamma_point(0.5 * p(0), u, upper);
    case Id::f: {
      const BetaPoint point = beta_point(0.5 * p(0), 0.5 * p(1), u, upper);
      return p(1) * point.x / (p(0) * point.one_minus_x);
    }
    case Id::scaled_gamma: {
      const BetaPoint point = beta_point(0.5 * p(1), 0.5, u, upper);
      return point.x / (p(1) * point.one_minus_x * p(0) * p(0));
    }
    case Id::generalized_gamma:
      return std::pow(gamma_point(p(0), u, upper), 1 / p(2)) / p(1);
    case Id::noncentral_chi_squared:
      return noncentral_point(u, p(0), p(1), upper);
    default:
      return kNoNumber;
  }
}

// Smallest x of the support with P(X <= x) >= u, or with P(X > x) <= u: by doubling, then
// bisection.
double discrete_point(Id id, double u, Parameters parameters, bool upper) {
  const Bounds bounds = support(id, parameters);
  const auto reached = [&](double x) {
    const double p = tail(id, x, parameters, upper);
    return upper ? p <= u : p >= u;
  };
  if (u == (upper ? 0 : 1)) return bounds.upper;
  double low = bounds.lower - 1, step = 1;  // not reached
  double high = bounds.lower;
  while (high < bounds.upper && !reached(high)) {
    low = high;
    high = std::min(bounds.upper, high + step);
    step *= 2;
    if (step > 1e300) return kInfinite;
  }
  while (high - low > 1) {
    const double middle = std::floor(0.5 * (low + high));
    if (!(low < middle && middle < high)) break;  // beyond the whole numbers of a double
    (reached(middle) ? high : low) = middle;
  }
  return high;
}

// By bisection of the doubles of the support, in their order.
double point_by_tails(Id id, double u, Parameters parameters, bool upper) {
  const auto place = [](double x) {  // of non-negative doubles the bits are in order
    const auto bits = std::bit_cast<std::int64_t>(std::fabs(x));
    return x < 0 ? -bits : bits;
  };
  const auto number = [](std::int64_t at) {
    return at < 0 ? -std::bit_cast<double>(-at) : std::bit_cast<double>(at);
  };
  const Bounds bounds = support(id, parameters);
  std::int64_t low = place(bounds.lower), high = place(bounds.upper);
  while (low + 1 < high) {
    const std::int64_t middle = std::midpoint(low, high);
    const double p = tail(id, number(middle), parameters, upper);
    ((upper ? p <= u : p >= u) ? high : low) = middle;
  }
  return number(high);
}

double point(Id id, double u, Parameters parameters, bool upper) {
  if (!(u >= 0 && u <= 1) || !parameters_fit(id, parameters)) return kNoNumber;
  if (distribution(id).discrete) return discrete_point(id, u, parameters, upper);
  if (u == 0 || u == 1) {
    const Bounds bounds = support(id, parameters);
    return (u == 0) == upper ? bounds.upper : bounds.lower;
  }
  return is_moderate(id, {1, 1}, parameters) ? continuous_point(id, u, parameters, upper)
                                             : point_by_tails(id, u, parameters, upper);
}

}  // namespace

double log_normal_tail(double z) {
  if (z < 0) return std::log1p(-normal_tail_of(z, false));
  if (z < 25) return std::log(normal_tail_of(z, true));
  const double s = 1 / (z * z);  // asymptotic series; at 25 its first left out term is 1e-10
  return -0.5 * z * z - std::log(z) - 0.91893853320467274178 +
         std::log1p(-s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s))));
}

// ln of the sum over j of Poisson(j; delta / 2) dchisqr(x; k + 2 j), from its largest term:
//   j (j + k / 2 - 1) = delta x / 4
double noncentral_chi_squared_density(double x, double k, double delta) {
  if (!(x >= 0) || !(k > 0) || !(delta >= 0) || std::isinf(x)) return kNever;
  if (delta == 0) return gamma_density<Part::whole>(x, 0.5 * k, 0.5);
  if (x == 0) return gamma_density<Part::whole>(x, 0.5 * k, 0.5) - 0.5 * delta;
  const double order = 0.5 * k - 1, root = std::sqrt(delta) * std::sqrt(x);
  const double whole = std::hypot(order, root);
  const double j =
      std::floor(order > 0 ? 0.5 * root * (root / (order + whole)) : 0.5 * (whole - order));
  const double a = j + 1, b = j + 0.5 * k;
  const double log_ratio = std::log(0.5 * delta / a) + std::log(0.5 * x / b);
  const double top = log_gamma_kernel(a, 0.5 * delta) - std::log(0.5 * delta) +
                     log_gamma_kernel(b, 0.5 * x) - std::log(x);
  if (!std::isfinite(top)) return kNever;
  if (j > 1e4) {
    const auto h = [&](double s) {
      return s * log_ratio - log_gamma_excess(a, s) - log_gamma_excess(b, s);
    };
    return top + std::log(sum_of_falling(h, j, kInfinite));
  }
  constexpr double kLast = 1e-18;
  const double product = std::exp(log_ratio) * a * b;
  double sum = 1;
  for (double term = 1, i = j; term > kLast * sum; ++i) {
    term *= product / ((i + 1) * (i + 0.5 * k));
    sum += term;
  }
  for (double term = 1, i = j; i > 0 && term > kLast * sum; --i) {
    term *= i * (i - 1 + 0.5 * k) / product;
    sum += term;
  }
  return top + std::log(sum);
}

bool is_moderate(Id id, Bounds b, Parameters q) {
  constexpr double kSmall = 1e-100, kLarge = 1e5;
  const auto fits = [&](double shape) { return shape > kSmall && shape < kLarge; };
  const bool count = b.lower < kLarge && (b.upper < kLarge || b.upper == kInfinite);
  switch (id) {
    case Id::gamma:
    case Id::chi_squared:
    case Id::generalized_gamma:
      return fits(q[0][0]);
    case Id::beta:
    case Id::f:
      return fits(q[0][0]) && fits(q[1][0]);
    case Id::scaled_gamma:
      return fits(q[1][0]);
    case Id::student:
      return fits(q[2][0]);
    case Id::noncentral_chi_squared:
      return fits(q[0][0]) && q[1][0] < 1e4 && b.lower < 1e4 &&
             (b.upper < 1e4 || b.upper == kInfinite);
    case Id::poisson:
      return count;
    case Id::negative_binomial:
      return fits(q[1][0]) && count;
    case Id::binomial:
      return q[1][0] < kLarge;
    case Id::hypergeometric:
    case Id::beta_binomial:
      return false;
    default:
      return true;
  }
}

double cdf(DistributionId id, double x, Parameters parameters) {
  return tail(id, x, parameters, false);
}

double complement_cdf(DistributionId id, double x, Parameters parameters) {
  return tail(id, x, parameters, true);
}

double quantile(DistributionId id, double p, Parameters parameters) {
  return point(id, p, parameters, false);
}

double complement_quantile(DistributionId id, double p, Parameters parameters) {
  return point(id, p, parameters, true);
}

}  // namespace croft::bugs

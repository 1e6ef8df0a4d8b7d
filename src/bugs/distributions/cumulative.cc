#include "bugs/distributions/cumulative.h"

#include <algorithm>
#include <boost/math/distributions/non_central_chi_squared.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "bugs/distributions/array_distributions.h"
#include "bugs/distributions/densities.h"
#include "bugs/distributions/draws.h"

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

// By summing probabilities from the nearer end of the support.
double summed_tail(Id id, double x, Parameters parameters, bool upper) {
  const Bounds bounds = support(id, parameters);
  double sum = 0;
  if (upper) {
    for (double k = bounds.upper; k > x && k >= bounds.lower; --k)
      sum += std::exp(log_density(id, {&k, 1}, parameters));
  } else {
    for (double k = bounds.lower; k <= x && k <= bounds.upper; ++k)
      sum += std::exp(log_density(id, {&k, 1}, parameters));
  }
  return std::min(1.0, sum);
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
    case Id::hypergeometric:
    case Id::beta_binomial:
      return summed_tail(id, x, q, upper);
    default:
      return kNoNumber;
  }
}

double tail(Id id, double x, Parameters parameters, bool upper) {
  if (!parameters_fit(id, parameters) || std::isnan(x)) return kNoNumber;
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
    const double p = discrete_tail(id, x, parameters, upper);
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
    (reached(middle) ? high : low) = middle;
  }
  return high;
}

double point(Id id, double u, Parameters parameters, bool upper) {
  if (!(u >= 0 && u <= 1) || !parameters_fit(id, parameters)) return kNoNumber;
  if (distribution(id).discrete) return discrete_point(id, u, parameters, upper);
  if (u == 0 || u == 1) {
    const Bounds bounds = support(id, parameters);
    return (u == 0) == upper ? bounds.upper : bounds.lower;
  }
  return continuous_point(id, u, parameters, upper);
}

// ln (P(Z > a) - P(Z > b)), a < b.
double log_normal_between(double a, double b) {
  if (!(a < b)) return kNever;
  if (b < 0) return log_normal_between(-b, -a);
  if (a > 0) {
    const double outer = log_normal_tail(a);
    return outer + std::log1p(-std::exp(log_normal_tail(b) - outer));
  }
  return std::log1p(-normal_tail_of(a, false) - normal_tail_of(b, true));
}

// The draw of T(,) whose tail above `lower` is exponential in some h(x).
double truncated_exponential(double lower, double upper, Random& random) {
  if (upper == kInfinite) return lower + draw_exponential(random);
  return lower - std::log1p(draw_open_uniform(random) * std::expm1(lower - upper));
}

}  // namespace

double log_normal_tail(double z) {
  if (z < 25) return std::log(normal_tail_of(z, true));
  const double s = 1 / (z * z);  // asymptotic series; at 25 its first left out term is 1e-10
  return -0.5 * z * z - std::log(z) - 0.91893853320467274178 +
         std::log1p(-s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s))));
}

double noncentral_chi_squared_density(double x, double k, double delta) {
  if (!(x >= 0) || !(k > 0) || !(delta >= 0)) return kNever;
  if (delta == 0) return gamma_density<Part::whole>(x, 0.5 * k, 0.5);
  try {
    const bm::non_central_chi_squared_distribution<double, Quiet> law(k, delta);
    return std::log(bm::pdf(law, x));
  } catch (const std::exception&) {  // its series would have too many terms: far from any value
    return kNever;
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

double log_interval_probability(DistributionId id, Bounds bounds, Parameters p) {
  if (!(bounds.lower <= bounds.upper)) return kNever;
  if (id == Id::normal) {
    const double scale = std::sqrt(p[1][0]);
    return log_normal_between((bounds.lower - p[0][0]) * scale, (bounds.upper - p[0][0]) * scale);
  }
  if (id == Id::exponential && bounds.upper == kInfinite)
    return -p[0][0] * std::max(0.0, bounds.lower);
  if (id == Id::weibull && bounds.upper == kInfinite)
    return bounds.lower > 0 ? -p[1][0] * std::pow(bounds.lower, p[0][0]) : 0;
  const Bounds range = support(id, p);
  const double above = distribution(id).discrete ? std::ceil(bounds.lower) - 1 : bounds.lower;
  const bool from_below = bounds.lower > range.lower, to_above = bounds.upper < range.upper;
  if (!from_below && !to_above) return 0;
  if (!from_below) return std::log(cdf(id, bounds.upper, p));
  const double right_of_lower = complement_cdf(id, above, p);
  if (!to_above) return std::log(right_of_lower);
  if (right_of_lower < 0.5) return std::log(right_of_lower - complement_cdf(id, bounds.upper, p));
  return std::log(cdf(id, bounds.upper, p) - cdf(id, above, p));
}

double draw_truncated(DistributionId id, Bounds bounds, Parameters p, Random& random) {
  if (!(bounds.lower <= bounds.upper) || !parameters_fit(id, p)) return kNoNumber;
  if (id == Id::normal) {
    const double scale = std::sqrt(p[1][0]);
    return p[0][0] + draw_truncated_normal((bounds.lower - p[0][0]) * scale,
                                           (bounds.upper - p[0][0]) * scale, random) /
                         scale;
  }
  if (id == Id::exponential)
    return truncated_exponential(p[0][0] * std::max(0.0, bounds.lower), p[0][0] * bounds.upper,
                                 random) /
           p[0][0];
  if (id == Id::weibull) {
    const double v = p[0][0], rate = p[1][0];
    const double low = rate * std::pow(std::max(0.0, bounds.lower), v);
    const double high = bounds.upper == kInfinite ? kInfinite : rate * std::pow(bounds.upper, v);
    return std::pow(truncated_exponential(low, high, random) / rate, 1 / v);
  }
  const bool discrete = distribution(id).discrete;
  const double above = discrete ? std::ceil(bounds.lower) - 1 : bounds.lower;
  const double u = draw_open_uniform(random);
  const double right_of_lower = complement_cdf(id, above, p);
  double x = kNoNumber;
  if (right_of_lower < 0.5) {
    const double outer = bounds.upper == kInfinite ? 0 : complement_cdf(id, bounds.upper, p);
    if (right_of_lower > outer)
      x = complement_quantile(id, outer + u * (right_of_lower - outer), p);
  } else {
    const double low = cdf(id, above, p), high = cdf(id, bounds.upper, p);
    if (high > low) x = quantile(id, low + u * (high - low), p);
  }
  // The quantile of a rounded probability may lie a rounding outside.
  const double least = discrete ? std::ceil(bounds.lower) : bounds.lower;
  return std::isnan(x) ? x : std::clamp(x, least, std::max(least, bounds.upper));
}

}  // namespace croft::bugs

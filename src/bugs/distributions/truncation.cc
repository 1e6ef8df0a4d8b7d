// The mass between two bounds, and draws from what they leave, in logarithms.
//
// docs/math/bugs_distributions.md section "Truncation".
#include <algorithm>
#include <cmath>

#include "bugs/distributions/count_laws.h"
#include "bugs/distributions/cumulative.h"
#include "bugs/distributions/densities.h"
#include "bugs/distributions/smooth_laws.h"
#include "bugs/distributions/unimodal.h"

namespace croft::bugs {
namespace {

using Id = DistributionId;
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// ln(1 - e^-w) of w = e^log_w.
double log_up_to(double log_w) {
  if (log_w < -40) return log_w;
  const double w = std::exp(log_w);
  return w < std::numbers::ln2 ? std::log(-std::expm1(-w)) : std::log1p(-std::exp(-w));
}

// ln(1 + e^x)
double log_one_plus_exp(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

// Laws whose tail is e^-H(x): P(l <= X <= u) = e^-H(l) (1 - e^-(H(u) - H(l))).
struct Hazard {
  double start, log_width;  // H(l); ln(H(u) - H(l))
};

bool has_hazard(Id id) {
  return id == Id::exponential || id == Id::weibull || id == Id::pareto || id == Id::geometric;
}

Hazard hazard(Id id, Bounds b, Parameters q) {
  const double p = q[0][0], l = b.lower, u = b.upper;
  switch (id) {
    case Id::exponential:
      return {p * l, std::log(p) + std::log(u - l)};
    case Id::geometric: {  // of {l, ..., u}: from l - 1 to u steps have failed
      const double rate = -std::log1p(-p);
      return {l > 1 ? (l - 1) * rate : 0, std::log(rate) + std::log(u - l + 1)};
    }
    case Id::pareto: {
      const double c = q[1][0];
      const double ratio = u < 2 * l ? std::log1p((u - l) / l) : std::log(u) - std::log(l);
      return {l > c ? p * (std::log(l) - std::log(c)) : 0, std::log(p) + std::log(ratio)};
    }
    default: {  // rate x^p
      const double log_rate = std::log(q[1][0]);
      if (!(l > 0)) return {0, log_rate + p * std::log(u)};
      const double grows = p * (u < 2 * l ? std::log1p((u - l) / l) : std::log(u) - std::log(l));
      const double log_start = log_rate + p * std::log(l);
      return {std::exp(log_start),
              grows < 1 ? log_start + std::log(std::expm1(grows))
                        : log_rate + p * std::log(u) + std::log1p(-std::exp(-grows))};
    }
  }
}

double draw_by_hazard(Id id, Bounds b, Parameters q, Random& random) {
  const Hazard h = hazard(id, b, q);
  const double more = draw_exponential_up_to(std::exp(h.log_width), random), p = q[0][0];
  switch (id) {
    case Id::exponential:
      return b.lower + more / p;
    case Id::geometric:
      return b.lower + std::floor(p == 1 ? 0 : -more / std::log1p(-p));
    case Id::pareto:
      return b.lower * std::exp(more / p);
    default:
      if (!(b.lower > 0)) return std::pow(more / q[1][0], 1 / p);
      return b.lower * std::exp(std::log1p(more / h.start) / p);
  }
}

double log_laplace_between(double a, double b, double log_width) {
  if (a < 0 && b > 0) return std::log(-0.5 * (std::expm1(a) + std::expm1(-b)));
  return log_up_to(log_width) - std::numbers::ln2 - (a < 0 ? -b : a);
}

double log_logistic_between(double a, double b, double log_width) {
  return log_up_to(log_width) - log_one_plus_exp(a) - log_one_plus_exp(-b);
}

// g(y) of y = ln(X / x), X a non-central chi-squared variable, x its mean, which is near the mode,
// or the bound next to it; and how far the bounds are.
struct Noncentral {
  Noncentral(Bounds b, Parameters q)
      : k(q[0][0]),
        delta(q[1][0]),
        x(std::clamp(k + delta, b.lower, b.upper)),
        top(g(0)),
        left(distance(x, b.lower)),
        right(distance(b.upper, x)) {}
  double g(double y) const {
    const double at = x * std::exp(y);
    return at > 0 && at < kInfinite ? noncentral_chi_squared_density(at, k, delta) + std::log(at)
                                    : kNever;
  }
  double h(double y) const { return g(y) - top; }
  static double distance(double u, double l) {
    return u < 2 * l ? std::log1p((u - l) / l) : std::log(u) - std::log(l);
  }
  double k, delta, x, top, left, right;
};

double log_noncentral_interval(Bounds b, Parameters q) {
  const Noncentral law(b, q);
  constexpr unsigned kDepthOfSums = 5;  // each value is a sum
  return law.top +
         log_integral([&](double y) { return law.h(y); }, law.left, law.right, kDepthOfSums);
}

double draw_noncentral(Bounds b, Parameters q, Random& random) {
  for (int k = 0; k < 32; ++k) {
    double x = 0;
    draw(Id::noncentral_chi_squared, q, random, {&x, 1});
    if (x >= b.lower && x <= b.upper) return x;
  }
  const Noncentral law(b, q);
  return law.x *
         std::exp(draw_falling([&](double y) { return law.h(y); }, law.left, law.right, random));
}

// By tails that are numbers, as long as they and their differences keep their digits; else NaN.
double log_by_tails(Id id, Bounds b, Parameters q) {
  constexpr double kLeast = 1e-280, kPart = 0.05;
  const double before = distribution(id).discrete ? b.lower - 1 : b.lower;
  const Bounds range = support(id, q);
  const double below = b.lower > range.lower ? cdf(id, before, q) : 0;
  const double above = b.upper < range.upper ? complement_cdf(id, b.upper, q) : 0;
  if (below + above < 0.5) return std::log1p(-(below + above));
  double mass = 0, whole = 1;
  if (below > 0.5) {
    whole = complement_cdf(id, before, q);
    mass = whole - above;
  } else if (above > 0.5) {
    whole = cdf(id, b.upper, q);
    mass = whole - below;
  } else {
    mass = 1 - below - above;
  }
  return mass > kLeast && mass > kPart * whole ? std::log(mass) : kNoNumber;
}

// Bounds of a normal variable of which one is infinite.
double log_normal_side(Id id, Bounds b, Parameters q) {
  const auto z = [&](double x) {
    return ((id == Id::normal ? x : std::log(x)) - q[0][0]) * std::sqrt(q[1][0]);
  };
  const bool from_below = b.lower > (id == Id::normal ? -kInfinite : 0);
  return log_normal_tail(from_below ? z(b.lower) : -z(b.upper));
}

// The part of the bounds where the law has mass; empty: lower > upper.
Bounds within(Id id, Bounds bounds, Parameters q) {
  const Bounds range = support(id, q);
  if (distribution(id).discrete) bounds = {std::ceil(bounds.lower), std::floor(bounds.upper)};
  return {std::max(bounds.lower, range.lower), std::min(bounds.upper, range.upper)};
}

}  // namespace

double draw_exponential_up_to(double width, Random& random) {
  if (width == kInfinite) return draw_exponential(random);
  return -std::log1p(draw_open_uniform(random) * std::expm1(-width));
}

double log_interval_probability(DistributionId id, Bounds bounds, Parameters q) {
  if (!(bounds.lower <= bounds.upper) || !parameters_fit(id, q)) return kNever;
  const Bounds range = support(id, q), b = within(id, bounds, q);
  if (!(b.lower <= b.upper)) return kNever;
  if (b.lower == range.lower && b.upper == range.upper) return 0;
  if (!distribution(id).discrete && b.lower == b.upper) return kNever;
  if (has_hazard(id)) {
    const Hazard h = hazard(id, b, q);
    return log_up_to(h.log_width) - h.start;
  }
  switch (id) {
    case Id::uniform:
      return std::log(b.upper - b.lower) - std::log(range.upper - range.lower);
    case Id::laplace:
    case Id::logistic: {
      const double mu = q[0][0], tau = q[1][0];
      const double log_width = std::log(b.upper - b.lower) + std::log(tau);
      return (id == Id::laplace ? log_laplace_between : log_logistic_between)(
          (b.lower - mu) * tau, (b.upper - mu) * tau, log_width);
    }
    case Id::bernoulli:
      return b.lower == 1 ? std::log(q[0][0]) : std::log1p(-q[0][0]);
    case Id::normal:
    case Id::log_normal:
      if (b.lower == range.lower || b.upper == range.upper) return log_normal_side(id, b, q);
      break;
    default:
      break;
  }
  if (is_moderate(id, b, q)) {
    const double mass = log_by_tails(id, b, q);
    if (!std::isnan(mass)) return mass;
  }
  if (has_smooth_law(id)) return log_smooth_interval(id, b, q);
  if (has_count_law(id)) return log_count_interval(id, b, q);
  if (id == Id::noncentral_chi_squared) return log_noncentral_interval(b, q);
  return kNever;
}

double draw_truncated(DistributionId id, Bounds bounds, Parameters q, Random& random) {
  constexpr double kFar = 1e3;  // in standard deviations; further out a draw is a step from a bound
  if (!(bounds.lower <= bounds.upper) || !parameters_fit(id, q)) return kNoNumber;
  const Bounds b = within(id, bounds, q);
  if (!(b.lower <= b.upper)) return kNoNumber;
  if (b.lower == b.upper) return b.lower;
  double x = kNoNumber;
  if (id == Id::normal) {
    const double mu = q[0][0], scale = std::sqrt(q[1][0]);
    const double low = (b.lower - mu) * scale, high = (b.upper - mu) * scale;
    if (low < kFar && high > -kFar) x = mu + draw_truncated_normal(low, high, random) / scale;
  }
  if (has_hazard(id)) {
    x = draw_by_hazard(id, b, q, random);
  } else if (id == Id::uniform) {
    x = b.lower + (b.upper - b.lower) * random.uniform();
  } else if (id == Id::bernoulli) {
    x = random.uniform() < q[0][0] ? 1 : 0;
  } else if (has_count_law(id)) {
    x = draw_count_between(id, b, q, random);
  } else if (id == Id::noncentral_chi_squared) {
    x = draw_noncentral(b, q, random);
  } else if (std::isnan(x) && has_smooth_law(id)) {
    x = draw_smooth_between(id, b, q, random);
  }
  return std::isnan(x) ? x : std::clamp(x, b.lower, b.upper);
}

}  // namespace croft::bugs

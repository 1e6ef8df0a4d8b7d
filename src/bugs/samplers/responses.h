// Likelihoods of one linear predictor: what generalised linear models are made of.
//
//   power    : a eta - h e^eta            (dpois, dexp, dgamma, dweib, a dnorm precision, by log)
//   logit    : x eta - n ln(1 + e^eta)    (dbern, dbin)
//   probit   : x ln Phi(eta) + (n - x) ln Phi(-eta)
//   cloglog  : x ln(1 - exp(-e^eta)) - (n - x) e^eta
//   student  : -(k + 1)/2 ln(1 + tau (x - eta)^2 / k)
//   logistic : -z - 2 ln(1 + e^-z), z = tau |x - eta|
//   ordered_logit  : ln (F(b - eta) - F(a - eta)), F the logistic cdf, a < b the cut points beside
//   x ordered_probit : the same with Phi
//
// docs/math/bugs_samplers.md section 4.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "bugs/distributions/cumulative.h"
#include "bugs/distributions/softplus.h"
#include "bugs/functions.h"

namespace croft::bugs {

enum class Response : std::uint8_t {
  power,
  logit,
  probit,
  cloglog,
  student,
  logistic,
  ordered_logit,
  ordered_probit
};

// Value and derivatives by the predictor.
struct ResponseSlope {
  double value = 0, first = 0;
};

// phi(z) / P(Z > z) of the standard normal distribution.
inline double normal_hazard(double z) {
  if (z < 25)
    return 0.39894228040143267794 * std::exp(-0.5 * z * z) /
           (0.5 * std::erfc(z * 0.70710678118654752440));
  const double s = 1 / (z * z);
  return z / (1 - s * (1 - 3 * s * (1 - 5 * s)));
}

inline double log_of_normal_tail(double z) {
  return z < 25 ? std::log(0.5 * std::erfc(z * 0.70710678118654752440)) : log_normal_tail(z);
}

// phi(l) / (Phi(u) - Phi(l)) and phi(u) / (Phi(u) - Phi(l)), l < u; an end may be infinite.
struct IntervalHazards {
  double lower, upper, log_mass;
};

inline IntervalHazards normal_interval_hazards(double l, double u) {
  constexpr double kMean = 0, kPrecision = 1;
  const Numbers standard[] = {{&kMean, 1}, {&kPrecision, 1}};
  const double log_mass = log_interval_probability(DistributionId::normal, {l, u}, standard);
  const auto hazard = [&](double z) {
    return std::isinf(z) ? 0 : 0.39894228040143267794 * std::exp(-0.5 * z * z - log_mass);
  };
  return {hazard(l), hazard(u), log_mass};
}

// 1 / (1 + e^-z)
inline double logistic_cdf(double z) { return 1 / (1 + std::exp(-z)); }

// a, b, c: power a, h; logit, probit, cloglog x, n; student x, tau, k; logistic x, tau; ordered a,
// b.
template <Response kind>
double response_first(double eta, double a, double b, double c) {
  if constexpr (kind == Response::power) return a - b * std::exp(eta);
  if constexpr (kind == Response::logit) return a - b / (1 + std::exp(-eta));
  if constexpr (kind == Response::probit)
    return (a == 0 ? 0 : a * normal_hazard(-eta)) - (a == b ? 0 : (b - a) * normal_hazard(eta));
  if constexpr (kind == Response::cloglog) {
    const double e = std::exp(eta);
    // d ln(1 - exp(-e)) / d eta = e / (exp(e) - 1)
    return (a == 0 ? 0 : a * (e < 1e-8 ? 1 : e / std::expm1(e))) - (b - a) * e;
  }
  if constexpr (kind == Response::student) {
    const double d = a - eta;
    return (c + 1) * b * d / (c + b * d * d);
  }
  if constexpr (kind == Response::logistic) return b * std::tanh(0.5 * b * (a - eta));
  if constexpr (kind == Response::ordered_logit)
    return logistic_cdf(a - eta) - logistic_cdf(eta - b);
  if constexpr (kind == Response::ordered_probit) {
    const IntervalHazards at = normal_interval_hazards(a - eta, b - eta);
    return at.lower - at.upper;
  }
}

template <Response kind>
ResponseSlope response(double eta, double a, double b, double c) {
  if constexpr (kind == Response::power) {
    const double e = b * std::exp(eta);
    return {a * eta - e, a - e};
  }
  if constexpr (kind == Response::logit) {
    const double e = std::exp(-std::fabs(eta)), p = 1 / (1 + e);
    return {a * eta - b * ((eta > 0 ? eta : 0) + std::log1p(e)), a - b * (eta > 0 ? p : e * p)};
  }
  const double first = response_first<kind>(eta, a, b, c);
  if constexpr (kind == Response::probit)
    return {(a == 0 ? 0 : a * log_of_normal_tail(-eta)) +
                (a == b ? 0 : (b - a) * log_of_normal_tail(eta)),
            first};
  if constexpr (kind == Response::cloglog) {
    const double e = std::exp(eta);
    return {(a == 0 ? 0 : a * std::log(-std::expm1(-e))) - (b - a) * e, first};
  }
  if constexpr (kind == Response::student) {
    const double d = a - eta;
    return {-0.5 * (c + 1) * std::log1p(b * d * d / c), first};
  }
  if constexpr (kind == Response::logistic) {
    const double z = b * std::fabs(a - eta);
    return {-z - 2 * std::log1p(std::exp(-z)), first};
  }
  // F(b - eta) (1 - F(a - eta)), up to 1 - e^(a - b), which does not move
  if constexpr (kind == Response::ordered_logit)
    return {-softplus(eta - b) - softplus(a - eta), first};
  if constexpr (kind == Response::ordered_probit)
    return {normal_interval_hazards(a - eta, b - eta).log_mass, first};
}

// The predictor at which the response is largest.  Counts get half a success and half a failure
// more, so that it is finite.
template <Response kind>
double own_estimate(double a, double b) {
  if constexpr (kind == Response::student || kind == Response::logistic) return a;
  if constexpr (kind == Response::power) return b > 0 ? std::log(std::max(a, 0.5) / b) : 0;
  if constexpr (kind == Response::ordered_logit || kind == Response::ordered_probit)
    return std::isinf(a) ? b - 1 : std::isinf(b) ? a + 1 : 0.5 * (a + b);
  const double p = (a + 0.5) / (b + 1);
  if constexpr (kind == Response::logit) return std::log(p / (1 - p));
  if constexpr (kind == Response::probit) return normal_quantile(p);
  if constexpr (kind == Response::cloglog) return std::log(-std::log1p(-p));
}

// Minus the second derivative; for student and logistic a positive stand-in (the expected one).
template <Response kind>
double response_weight(double eta, double a, double b, double c) {
  if constexpr (kind == Response::power) return b * std::exp(eta);
  if constexpr (kind == Response::logit) {
    const double e = std::exp(-std::fabs(eta));
    return b * e / ((1 + e) * (1 + e));
  }
  if constexpr (kind == Response::probit) {
    const double up = normal_hazard(-eta), down = normal_hazard(eta);
    return (a == 0 ? 0 : a * up * (eta + up)) + (a == b ? 0 : (b - a) * down * (down - eta));
  }
  if constexpr (kind == Response::cloglog) {
    const double e = std::exp(eta), p = -std::expm1(-e);
    return p < 1e-12 ? b * e : b * e * e * (1 - p) / p;  // expected: a = b p
  }
  if constexpr (kind == Response::student) return b * (c + 1) / (c + 3);
  if constexpr (kind == Response::logistic) return b * b / 3;
  if constexpr (kind == Response::ordered_logit) {
    const double below = logistic_cdf(a - eta), above = logistic_cdf(eta - b);
    return below * (1 - below) + above * (1 - above);
  }
  if constexpr (kind == Response::ordered_probit) {
    const double l = a - eta, u = b - eta;
    const IntervalHazards at = normal_interval_hazards(l, u);
    const double slope = at.lower - at.upper;
    const double second = (at.lower > 0 ? l * at.lower : 0) - (at.upper > 0 ? u * at.upper : 0);
    return std::clamp(slope * slope - second, 1e-6, 1.0);  // far out its digits cancel
  }
}

}  // namespace croft::bugs

#include "bugs/distributions/smooth_laws.h"

#include <algorithm>
#include <cmath>

#include "bugs/distributions/densities.h"
#include "bugs/distributions/stirling.h"
#include "bugs/distributions/unimodal.h"

namespace croft::bugs {
namespace {

using Id = DistributionId;
constexpr double kOpen = std::numeric_limits<double>::infinity();

// The log density g of a coordinate y, up to what does not depend on y, and where it is highest.
enum class Coordinate : std::uint8_t {
  normal,   // -y^2 / 2                    0
  laplace,  // -|y|                        0
  student,  // -a ln cosh y                0
  gamma,    // a y - e^y                   ln a
  beta      // a y - (a + b) ln(1 + e^y)   ln(a / b)
};
// From the value x to y.
enum class Scale : std::uint8_t {
  line,       // (x - location) unit; of a student asinh of it
  logarithm,  // unit (ln x + location)
  logit       // ln(x / (1 - x))
};

// ln(u / l), 0 <= l <= u.
double log_ratio(double u, double l) {
  return u < 2 * l ? std::log1p((u - l) / l) : std::log(u) - std::log(l);
}

class SmoothLaw {
 public:
  SmoothLaw(Id id, Parameters q);

  // The value and its coordinate, and what g is made of there.
  struct Point {
    double x, y;
    double natural, rest;  // gamma: e^y; beta: p = 1 / (1 + e^-y) and 1 - p; student: tanh y
  };
  Point at(double x) const;
  Point mode() const;
  double width(double low, double high) const;  // y(high) - y(low), without its loss of digits
  // g(c.y + d) - g(c.y)
  double change(const Point& c, double d) const;
  // ln of the density of y at c.
  double log_density(const Point& c) const;
  double value(const Point& c, double d) const;  // x at c.y + d

 private:
  Point natural(Point c) const;

  Coordinate shape_;
  Scale scale_;
  double a_ = 0, b_ = 0, location_ = 0, unit_ = 1;
  double rate_ = 1;  // logarithm: e^location, exact
};

SmoothLaw::SmoothLaw(Id id, Parameters q) {
  const auto p = [&](std::size_t i) { return q[i][0]; };
  switch (id) {
    case Id::log_normal:
      shape_ = Coordinate::normal, scale_ = Scale::logarithm;
      location_ = -p(0), unit_ = std::sqrt(p(1));
      break;
    case Id::logistic:  // ln(U / (1 - U)), U uniform
      shape_ = Coordinate::beta, scale_ = Scale::line;
      a_ = b_ = 1, location_ = p(0), unit_ = p(1);
      break;
    case Id::laplace:
      shape_ = Coordinate::laplace, scale_ = Scale::line;
      location_ = p(0), unit_ = p(1);
      break;
    case Id::student:
      scale_ = Scale::line, location_ = p(0), unit_ = std::sqrt(p(1));
      shape_ = std::isinf(p(2)) ? Coordinate::normal : Coordinate::student;
      a_ = p(2);
      if (shape_ == Coordinate::student) unit_ = std::sqrt(p(1) / a_);
      break;
    case Id::gamma:
      shape_ = Coordinate::gamma, scale_ = Scale::logarithm;
      a_ = p(0), rate_ = p(1);
      break;
    case Id::chi_squared:
      shape_ = Coordinate::gamma, scale_ = Scale::logarithm;
      a_ = 0.5 * p(0), rate_ = 0.5;
      break;
    case Id::generalized_gamma:
      shape_ = Coordinate::gamma, scale_ = Scale::logarithm;
      a_ = p(0), rate_ = p(1), unit_ = p(2);
      break;
    case Id::beta:
      shape_ = Coordinate::beta, scale_ = Scale::logit;
      a_ = p(0), b_ = p(1);
      break;
    case Id::f:
      shape_ = Coordinate::beta, scale_ = Scale::logarithm;
      a_ = 0.5 * p(0), b_ = 0.5 * p(1), rate_ = p(0) / p(1);
      break;
    case Id::scaled_gamma:  // s^2 x ~ df(k, 1)
      shape_ = Coordinate::beta, scale_ = Scale::logarithm;
      a_ = 0.5 * p(1), b_ = 0.5, rate_ = p(0) * p(0) * p(1);
      break;
    default:
      shape_ = Coordinate::normal, scale_ = Scale::line;
      location_ = p(0), unit_ = std::sqrt(p(1));
  }
  if (shape_ != Coordinate::normal && scale_ == Scale::logarithm) location_ = std::log(rate_);
}

// e^y from the value itself: y has lost digits of it where e^y is large.
SmoothLaw::Point SmoothLaw::natural(Point c) const {
  if (shape_ == Coordinate::student) c.natural = std::tanh(c.y);
  if (shape_ == Coordinate::gamma) c.natural = unit_ == 1 ? rate_ * c.x : std::exp(c.y);
  if (shape_ == Coordinate::beta && scale_ != Scale::logit) {
    const double e = scale_ == Scale::line ? std::exp(c.y) : rate_ * c.x;
    c.rest = 1 / (1 + e);
    c.natural = e < 1 ? e / (1 + e) : 1 / (1 + 1 / e);
  }
  return c;
}

SmoothLaw::Point SmoothLaw::at(double x) const {
  switch (scale_) {
    case Scale::line: {
      const double z = (x - location_) * unit_;
      return natural({x, shape_ == Coordinate::student ? std::asinh(z) : z, 0, 0});
    }
    case Scale::logarithm:
      return natural({x, unit_ * (std::log(x) + location_), 0, 0});
    default:
      return {x, std::log(x) - std::log1p(-x), x, 1 - x};
  }
}

SmoothLaw::Point SmoothLaw::mode() const {
  const double most = std::max(a_, b_), a = a_ / most, b = b_ / most;
  switch (shape_) {
    case Coordinate::gamma: {
      const double x = unit_ == 1 ? a_ / rate_ : std::exp(std::log(a_) / unit_ - location_);
      return {x, std::log(a_), a_, 0};
    }
    case Coordinate::beta: {
      const double y = std::log(a_) - std::log(b_), p = a / (a + b);
      const double x = scale_ == Scale::logit       ? p
                       : scale_ == Scale::logarithm ? a / b / rate_
                                                    : location_;
      return {x, y, p, b / (a + b)};
    }
    default:
      return {scale_ == Scale::logarithm ? std::exp(-location_) : location_, 0, 0, 0};
  }
}

double SmoothLaw::width(double low, double high) const {
  switch (scale_) {
    case Scale::line: {
      const double d = (high - low) * unit_;
      if (shape_ != Coordinate::student) return d;
      const double v = (low - location_) * unit_, w = (high - location_) * unit_;
      if (!(v > 0) == !(w < 0) || std::fabs(v) > 1e8 || std::fabs(w) > 1e8) {
        // On both sides of 0, or on one side far out, where asinh v = ln 2v.
        if (v > 1e8) return d < v ? std::log1p(d / v) : log_ratio(w, v);
        if (w < -1e8) return d < -w ? std::log1p(-d / w) : log_ratio(-v, -w);
        return std::asinh(w) - std::asinh(v);
      }
      return std::asinh(d * (v + w) / (w * std::hypot(1, v) + v * std::hypot(1, w)));
    }
    case Scale::logarithm:
      return unit_ * log_ratio(high, low);
    default:
      return log_ratio(high, low) + log_ratio(1 - low, 1 - high);
  }
}

// ln(1 - p + p e^d)
double log_mixed(double p, double d) {
  return d > 600 ? std::log(p) + d : std::log1p(p * std::expm1(d));
}

double SmoothLaw::change(const Point& c, double d) const {
  switch (shape_) {
    case Coordinate::normal:
      return -d * (c.y + 0.5 * d);
    case Coordinate::laplace:  // c is the place next to 0
      return -std::fabs(d);
    case Coordinate::student: {
      // cosh(y + d) = cosh y e^|d| ((1 + t) + (1 - t) e^(-2 |d|)) / 2, t = tanh y or -tanh y
      const double size = std::fabs(d), t = d < 0 ? -c.natural : c.natural;
      if (size < 1) {
        const double s = std::sinh(0.5 * size);
        return -a_ * std::log1p(2 * s * s + std::sinh(size) * t);
      }
      return -a_ * (size + std::log(0.5 * ((1 + t) + (1 - t) * std::exp(-2 * size))));
    }
    case Coordinate::gamma:
      if (d > 30) return a_ * d - std::exp(c.y + d) + c.natural;
      return a_ * d - c.natural * std::expm1(d);
    default:  // by the smaller of the two probabilities
      return c.natural < c.rest ? a_ * d - (a_ + b_) * log_mixed(c.natural, d)
                                : -b_ * d - (a_ + b_) * log_mixed(c.rest, -d);
  }
}

double SmoothLaw::log_density(const Point& c) const {
  switch (shape_) {
    case Coordinate::normal:
      return -0.5 * c.y * c.y - 0.91893853320467274178;
    case Coordinate::laplace:
      return -std::fabs(c.y) - std::numbers::ln2;
    case Coordinate::student: {
      const double size = std::fabs(c.y);
      const double cosh = size < 1 ? 0.5 * std::log1p(std::sinh(size) * std::sinh(size))
                                   : size - std::numbers::ln2 + std::log1p(std::exp(-2 * size));
      return -a_ * cosh - log_beta(0.5, 0.5 * a_);
    }
    case Coordinate::gamma:
      // If e^y is no double, only y tells its size.
      if (!(c.natural > 0)) return a_ * c.y - log_gamma(a_);
      return log_gamma_kernel(a_, c.natural);
    default:
      if (!(c.natural > 0) || !(c.rest > 0)) return (c.y < 0 ? a_ : -b_) * c.y - log_beta(a_, b_);
      return log_beta_kernel(a_, b_, c.natural, c.rest);
  }
}

double SmoothLaw::value(const Point& c, double d) const {
  // Not at an end of the support, where densities may be infinite.
  constexpr double kLeast = std::numeric_limits<double>::min();
  constexpr double kMost = 1 - std::numeric_limits<double>::epsilon() / 2;
  switch (scale_) {
    case Scale::line:
      if (shape_ == Coordinate::student)
        return c.x + 2 * std::cosh(c.y + 0.5 * d) * std::sinh(0.5 * d) / unit_;
      return c.x + d / unit_;
    case Scale::logarithm:
      return std::max(kLeast, c.x * std::exp(d / unit_));
    default:
      return std::clamp(d < 0 ? c.natural * std::exp(d) / (c.rest + c.natural * std::exp(d))
                              : c.natural / (c.natural + c.rest * std::exp(-d)),
                        kLeast, kMost);
  }
}

// A point of an interval, and how far its ends are from it.
struct Seen {
  SmoothLaw::Point from;
  double left, right;
};

// From the end that is next to the mode, or from the mode.
Seen from_highest(const SmoothLaw& law, Bounds bounds) {
  const double width = law.width(bounds.lower, bounds.upper);
  const SmoothLaw::Point low = law.at(bounds.lower), high = law.at(bounds.upper);
  const SmoothLaw::Point mode = law.mode();
  if (!(mode.y > low.y)) return {low, 0, width};
  if (!(mode.y < high.y)) return {high, width, 0};
  return {mode, mode.y - low.y, high.y - mode.y};
}

}  // namespace

bool has_smooth_law(Id id) {
  switch (id) {
    case Id::normal:
    case Id::log_normal:
    case Id::logistic:
    case Id::laplace:
    case Id::student:
    case Id::gamma:
    case Id::chi_squared:
    case Id::generalized_gamma:
    case Id::beta:
    case Id::f:
    case Id::scaled_gamma:
      return true;
    default:
      return false;
  }
}

double log_smooth_interval(Id id, Bounds bounds, Parameters parameters) {
  const SmoothLaw law(id, parameters);
  Seen seen = from_highest(law, bounds);
  // Around a mode far from 0 in units of the interval, its ends are exact and their distances to
  // the mode are not: from an end then, as long as the mode is not much higher.
  constexpr double kMuchHigher = 20;
  if (seen.left > 0 && seen.right > 0) {
    const double width = law.width(bounds.lower, bounds.upper);
    const SmoothLaw::Point low = law.at(bounds.lower), high = law.at(bounds.upper);
    if (seen.left < kOpen && law.change(low, seen.left) < kMuchHigher) {
      seen = {low, 0, width};
    } else if (seen.right < kOpen && law.change(high, -seen.right) < kMuchHigher) {
      seen = {high, width, 0};
    }
  }
  const double sum =
      law.log_density(seen.from) +
      log_integral([&](double d) { return law.change(seen.from, d); }, seen.left, seen.right);
  return std::isnan(sum) ? kNever : std::min(0.0, sum);
}

double draw_smooth_between(Id id, Bounds bounds, Parameters parameters, Random& random) {
  const SmoothLaw law(id, parameters);
  const Seen seen = from_highest(law, bounds);
  const double d = draw_log_concave([&](double at) { return law.change(seen.from, at); }, seen.left,
                                    seen.right, random);
  return law.value(seen.from, d);
}

}  // namespace croft::bugs

// Sums and draws of exp(h), h the log density or log mass of one part of a law, seen from its
// highest point:  h(0) = 0, and h falls on both sides.  Only differences from that point are asked
// for, so nothing underflows, however far in a tail, and nothing cancels, however narrow.
//
// h is any function of a double.  docs/math/bugs_distributions.md section "Truncation".
#pragma once
#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>

#include "bugs/distributions/draws.h"
#include "croft/core/random.h"

namespace croft::bugs {

inline constexpr double kNegligible = -50;  // e^-50 is far below the last digit
// Halvings of an integral at most: with noise in the last digits of h, they would never end.
inline constexpr unsigned kDepth = 10;

// A place in (0, length] where h lies between `least` and `most`, or `length` where h is above
// `least` all the way.  Powers of two up or down from 1, then bisection of what they enclose.
template <class H>
double place_of_fall(const H& h, double length, double least, double most) {
  double inner = 0, outer = std::min(length, 1.0);
  for (int k = 0; k < 600 && h(outer) >= least; ++k) {
    if (outer >= length) return length;
    inner = outer;
    outer = std::min(length, 4 * outer);
  }
  for (int k = 0; k < 600 && inner == 0 && outer > 0; ++k) {
    const double middle = 0.25 * outer;
    (h(middle) >= least ? inner : outer) = middle;
  }
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (inner + outer), at = h(middle);
    if (at >= least && at <= most) return middle;
    (at >= least ? inner : outer) = middle;
  }
  return outer;
}

// Integral of e^h over [0, length], divided by the reach of h, which is its second part: their
// product may be beyond all doubles.
struct ScaledIntegral {
  double value, reach;
  double log() const { return value > 0 ? std::log(value) + std::log(reach) : kEmpty; }
  static constexpr double kEmpty = -std::numeric_limits<double>::infinity();
};

template <class H>
ScaledIntegral integral_of_side(const H& h, double length, unsigned depth) {
  if (!(length > 0)) return {0, 1};
  const double reach = place_of_fall(h, length, 1.5 * kNegligible, kNegligible);
  using Rule = boost::math::quadrature::gauss_kronrod<double, 31>;
  const auto f = [&](double t) { return std::exp(h(reach * t)); };
  return {Rule::integrate(f, 0.0, 1.0, depth, 1e-9), reach};
}

// ln of the integral of e^h over [-left, right].
template <class H>
double log_integral(const H& h, double left, double right, unsigned depth = kDepth) {
  const double below = integral_of_side([&](double s) { return h(-s); }, left, depth).log();
  const double above = integral_of_side(h, right, depth).log();
  const double most = std::max(below, above);
  if (!std::isfinite(most)) return most;
  return most + std::log1p(std::exp(std::min(below, above) - most));
}

// Sum of e^h(s) over s = first, first + 1, ..., last; first is 0 or 1, last may be infinite.  The
// terms at both ends one by one, what is between them by the midpoint rule of Euler & Maclaurin:
//   sum_{s=a}^{b} f(s) = integral of f over [a - 1/2, b + 1/2] - [f'(b + 1/2) - f'(a - 1/2)] / 24
template <class H>
double sum_of_side(const H& h, double first, double last) {
  constexpr int kNear = 64;
  const auto f = [&](double s) { return std::exp(h(s)); };
  double sum = 0;
  for (int k = 0; k < kNear && first + k <= last; ++k) {
    const double at = h(first + k);
    sum += std::exp(at);
    if (!(at > kNegligible)) return sum;
  }
  double low = first + kNear;
  if (low > last || !(h(low) > kNegligible)) return sum;
  double high = last;
  if (std::isfinite(last) && h(last) > kNegligible) {
    for (int k = 0; k < kNear && last - k >= low; ++k) sum += f(last - k);
    high -= kNear;
    if (high < low) return sum;
  } else {
    high -= 1;  // the slope is asked for half a step further
  }
  low -= 0.5;
  high = low + place_of_fall([&](double s) { return h(low + s); }, high + 0.5 - low,
                             1.5 * kNegligible, kNegligible);
  using Rule = boost::math::quadrature::gauss_kronrod<double, 31>;
  const auto over_log = [&](double v) {
    const double s = std::exp(v);
    return f(s) * s;
  };
  const auto slope = [&](double s) { return f(s) * (h(s + 0.5) - h(s - 0.5)); };
  const double ends = slope(high) - slope(low);
  return sum + Rule::integrate(over_log, std::log(low), std::log(high), kDepth, 1e-9) - ends / 24;
}

template <class H>
double sum_of_falling(const H& h, double left, double right) {
  return sum_of_side(h, 0, right) + sum_of_side([&](double s) { return h(-s); }, 1, left);
}

// 1 up to `flat`, then e^(-steep s): above e^h on [0, length] where h is concave, falls and is
// -steep flat at `flat`.  It has at least 0.4 of its area below e^h.
struct Envelope {
  template <class H>
  Envelope(const H& h, double length)
      : flat(length > 0 ? place_of_fall(h, length, -2, -0.5) : 0), end(length) {
    if (flat < length) steep = -h(flat) / flat;
    // h falls to -inf within one step of doubles.
    if (!std::isfinite(steep)) end = flat;
  }
  double at(double s) const { return s <= flat ? 0 : -steep * s; }
  double flat, end, steep = 0;
};

double draw_exponential_up_to(double width, Random& random);

// A draw from the density e^h on [-left, right], h concave, by rejection.
template <class H>
double draw_log_concave(const H& h, double left, double right, Random& random) {
  constexpr int kTries = 1000;  // 0.6^1000
  const auto down = [&](double s) { return h(-s); };
  const Envelope below(down, left), above(h, right);
  // Areas in units of the larger flat part.
  const double unit = std::max(below.flat, above.flat);
  if (!(unit > 0) || !std::isfinite(unit)) return 0;
  const auto tail = [&](const Envelope& e) {
    if (!(e.flat < e.end)) return 0.0;
    const double drop = e.steep * e.flat;
    return e.flat / unit / drop * std::exp(-drop) * -std::expm1(-e.steep * (e.end - e.flat));
  };
  const double areas[4] = {below.flat / unit, tail(below), above.flat / unit, tail(above)};
  const double all = areas[0] + areas[1] + areas[2] + areas[3];
  for (int k = 0; k < kTries; ++k) {
    double u = random.uniform() * all;
    int part = 0;
    while (part < 3 && u >= areas[part]) u -= areas[part++];
    const Envelope& e = part < 2 ? below : above;
    const double s =
        part % 2 == 0
            ? e.flat * random.uniform()
            : e.flat + draw_exponential_up_to(e.steep * (e.end - e.flat), random) / e.steep;
    const double d = part < 2 ? -s : s;
    if (draw_exponential(random) >= e.at(s) - h(d)) return d;
  }
  return 0;
}

// The same where h falls to both sides and no more is known: below stairs.
template <class H>
double draw_falling(const H& h, double left, double right, Random& random) {
  constexpr int kStairs = 64, kTries = 1000;  // on a side
  double width[2] = {0, 0}, height[2][kStairs] = {}, all = 0;
  for (const int side : {0, 1}) {
    const double sign = side == 0 ? -1 : 1, length = side == 0 ? left : right;
    if (!(length > 0)) continue;
    width[side] = place_of_fall([&](double s) { return h(sign * s); }, length, 1.5 * kNegligible,
                                kNegligible) /
                  kStairs;
    for (int k = 0; k < kStairs; ++k) {
      height[side][k] = std::exp(h(sign * width[side] * k));
      all += width[side] * height[side][k];
    }
  }
  for (int k = 0; k < kTries; ++k) {
    double u = random.uniform() * all;
    int stair = 0;
    const auto area = [&](int i) { return width[i / kStairs] * height[i / kStairs][i % kStairs]; };
    while (stair + 1 < 2 * kStairs && u >= area(stair)) u -= area(stair++);
    const int side = stair / kStairs;
    const double s = width[side] * (stair % kStairs + random.uniform());
    const double d = side == 0 ? -s : s;
    if (random.uniform() * height[side][stair % kStairs] <= std::exp(h(d))) return d;
  }
  return 0;
}

// The same of masses e^h(d) on the whole numbers -left, ..., right.
template <class H>
double draw_log_concave_count(const H& h, double left, double right, Random& random) {
  constexpr int kTries = 1000;
  struct Side {
    double first, flat, end, steep = 0;  // flat on first, ..., flat
    double flats = 0, tail = 0;          // masses
  };
  const auto make = [&](const auto& g, double first, double end) {
    Side side{first, end, end};
    if (!(end >= first)) return side;
    if (end >= 1) side.flat = std::max(1.0, std::floor(place_of_fall(g, end, -2, -0.5)));
    side.flats = side.flat - first + 1;
    if (side.flat < end) {
      side.steep = -g(side.flat) / side.flat;
      if (side.steep > 0 && std::isfinite(side.steep)) {
        side.tail = std::exp(-side.steep * (side.flat + 1)) *
                    std::expm1(-side.steep * (end - side.flat)) / std::expm1(-side.steep);
      }
    }
    return side;
  };
  const auto down = [&](double s) { return h(-s); };
  const Side below = make(down, 1, left), above = make(h, 0, right);
  const double areas[4] = {below.flats, below.tail, above.flats, above.tail};
  const double all = areas[0] + areas[1] + areas[2] + areas[3];
  for (int k = 0; k < kTries; ++k) {
    double u = random.uniform() * all;
    int part = 0;
    while (part < 3 && u >= areas[part]) u -= areas[part++];
    const Side& e = part < 2 ? below : above;
    double s = 0;
    if (part % 2 == 0) {
      s = std::min(e.flat, e.first + std::floor(e.flats * random.uniform()));
    } else {
      const double length = e.end - e.flat;
      s = e.flat + 1 + std::floor(draw_exponential_up_to(e.steep * length, random) / e.steep);
    }
    if (s > e.end) continue;
    const double top = s <= e.flat ? 0 : -e.steep * s;
    const double d = part < 2 ? -s : s;
    if (draw_exponential(random) >= top - h(d)) return d;
  }
  return 0;
}

}  // namespace croft::bugs

#include "bugs/distributions/draws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/chi_squared.h"

namespace croft::bugs {
namespace {

constexpr int kLayers = 256;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Layers of one area under a falling density f on x >= 0.  width[i] is the right end of layer i,
// and inner[i] how much of it lies under the density of the layer above, as a fraction.
struct Ziggurat {
  std::array<double, kLayers + 1> width;
  std::array<double, kLayers + 1> height;  // f at width
};

// right: where the tail starts; area: of each layer, f(right) * right + the tail's.
template <class F, class Inverse>
Ziggurat make_ziggurat(double right, double area, F f, Inverse inverse) {
  Ziggurat z;
  z.width[0] = area / f(right);  // the base layer with its tail, as a rectangle
  z.height[0] = 0;
  z.width[1] = right;
  z.height[1] = f(right);
  for (int i = 2; i < kLayers; ++i) {
    z.width[i] = inverse(area / z.width[i - 1] + z.height[i - 1]);
    z.height[i] = f(z.width[i]);
  }
  z.width[kLayers] = 0;
  z.height[kLayers] = 1;
  return z;
}

// Constants of Marsaglia & Tsang for 256 layers; the test checks that the last layer closes.
const Ziggurat& normal_ziggurat() {
  static const Ziggurat z = make_ziggurat(
      3.6541528853610088, 0.00492867323399, [](double x) { return std::exp(-0.5 * x * x); },
      [](double y) { return std::sqrt(-2 * std::log(y)); });
  return z;
}

const Ziggurat& exponential_ziggurat() {
  static const Ziggurat z = make_ziggurat(
      7.69711747013104972, 0.0039496598225815571993, [](double x) { return std::exp(-x); },
      [](double y) { return -std::log(y); });
  return z;
}

const Ziggurat& kNormal = normal_ziggurat();
const Ziggurat& kExponential = exponential_ziggurat();

double fraction(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// Limit of a rejection loop, which ordinary numbers never reach.  Parameters at the edge
// of doubles may make all comparisons false; then the draw is no number.
constexpr int kTries = 10000;
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// By counting up from 0: p(k + 1) = p(k) * ratio.
double invert_poisson(double mean, Random& random) {
  for (int attempt = 0; attempt < kTries; ++attempt) {
    double p = std::exp(-mean), u = random.uniform();
    for (int k = 0; k < 200; ++k) {
      if (u < p) return k;
      u -= p;
      p *= mean / (k + 1);
    }
  }
  return kNoNumber;
}

double invert_binomial(double n, double p, Random& random) {
  const double q = 1 - p, ratio = p / q;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    double mass = std::exp(n * std::log1p(-p)), u = random.uniform();
    for (double k = 0; k <= n && (k < 200 || mass > 0); ++k) {
      if (u < mass) return k;
      u -= mass;
      mass *= ratio * (n - k) / (k + 1);
    }
  }
  return kNoNumber;
}

// Hormann (1993): transformed rejection with squeeze, PTRS.
double reject_poisson(double mean, Random& random) {
  const double log_mean = std::log(mean), root = std::sqrt(mean);
  const double b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const double u = random.uniform() - 0.5, v = draw_open_uniform(random);
    const double us = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b) <=
        k * log_mean - mean - log_gamma(k + 1))
      return k;
  }
  return kNoNumber;
}

// Hormann (1993): BTRS; p <= 1/2, n p >= 10.
double reject_binomial(double n, double p, Random& random) {
  const double q = 1 - p, spread = std::sqrt(n * p * q);
  const double b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double c = n * p + 0.5, v_r = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * spread;
  const double log_odds = std::log(p / q), m = std::floor((n + 1) * p);
  const double h = log_gamma(m + 1) + log_gamma(n - m + 1);
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const double u = random.uniform() - 0.5, v = draw_open_uniform(random);
    const double us = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || k > n) continue;
    if (std::log(v * alpha / (a / (us * us) + b)) <=
        h - log_gamma(k + 1) - log_gamma(n - k + 1) + (k - m) * log_odds)
      return k;
  }
  return kNoNumber;
}

// x >= lower > 0 of the standard normal tail, by an exponential envelope; x <= upper.
double normal_tail(double lower, double upper, Random& random) {
  const double rate = 0.5 * (lower + std::sqrt(lower * lower + 4));
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const double x = lower + draw_exponential(random) / rate;
    if (x > upper) continue;
    const double d = x - rate;
    if (draw_exponential(random) >= 0.5 * d * d) return x;
  }
  return kNoNumber;
}

double normal_by_uniform(double lower, double upper, Random& random) {
  const double closest = lower > 0 ? lower : upper < 0 ? upper : 0;  // to the mode
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const double x = lower + (upper - lower) * random.uniform();
    if (draw_exponential(random) >= 0.5 * (x * x - closest * closest)) return x;
  }
  return kNoNumber;
}

}  // namespace

double draw_open_uniform(Random& random) {
  return (static_cast<double>(random.next() >> 12) + 0.5) * 0x1p-52;
}

double draw_normal(Random& random) {
  const Ziggurat& z = kNormal;
  for (;;) {
    const std::uint64_t bits = random.next();
    const int i = static_cast<int>(bits & 255);
    const double sign = bits & 256 ? -1 : 1;
    const double x = fraction(bits) * z.width[i];
    if (x < z.width[i + 1]) return sign * x;
    if (i == 0) {  // the tail beyond width[1] (Marsaglia 1964)
      const double right = z.width[1];
      for (;;) {
        const double beyond = -std::log(draw_open_uniform(random)) / right;
        const double y = -std::log(draw_open_uniform(random));
        if (2 * y >= beyond * beyond) return sign * (right + beyond);
      }
    }
    const double y = z.height[i] + random.uniform() * (z.height[i + 1] - z.height[i]);
    if (y < std::exp(-0.5 * x * x)) return sign * x;
  }
}

double draw_exponential(Random& random) {
  const Ziggurat& z = kExponential;
  double start = 0;
  for (;;) {
    const std::uint64_t bits = random.next();
    const int i = static_cast<int>(bits & 255);
    const double x = fraction(bits) * z.width[i];
    if (x < z.width[i + 1]) return start + x;
    if (i == 0) {  // the tail is the density again, further right
      start += z.width[1];
      continue;
    }
    const double y = z.height[i] + random.uniform() * (z.height[i + 1] - z.height[i]);
    if (y < std::exp(-x)) return start + x;
  }
}

double draw_gamma(double shape, Random& random) {
  // Not 0, where densities of small shapes are infinite.
  constexpr double kLeast = std::numeric_limits<double>::min();
  if (shape < 1) return std::max(kLeast, std::exp(draw_log_gamma(shape, random)));
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const double x = draw_normal(random);
    double v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    const double u = draw_open_uniform(random), square = x * x;
    if (u < 1 - 0.0331 * square * square) return d * v;
    if (std::log(u) < 0.5 * square + d * (1 - v + std::log(v))) return d * v;
  }
  return kNoNumber;
}

double draw_log_gamma(double shape, Random& random) {
  if (shape >= 1) return std::log(draw_gamma(shape, random));
  // gamma(shape) = gamma(shape + 1) * U^(1 / shape)
  return std::log(draw_gamma(shape + 1, random)) - draw_exponential(random) / shape;
}

double draw_beta(double a, double b, Random& random) {
  if (a < 1 || b < 1) {
    const double x = draw_log_gamma(a, random), y = draw_log_gamma(b, random);
    constexpr double kLeast = std::numeric_limits<double>::min();
    constexpr double kMost = 1 - std::numeric_limits<double>::epsilon() / 2;
    return std::clamp(1 / (1 + std::exp(y - x)), kLeast, kMost);
  }
  const double x = draw_gamma(a, random), y = draw_gamma(b, random);
  return x / (x + y);
}

double draw_poisson(double mean, Random& random) {
  if (!(mean > 0)) return 0;
  return mean < 12 ? invert_poisson(mean, random) : reject_poisson(mean, random);
}

double draw_binomial(double n, double p, Random& random) {
  if (!(p > 0) || !(n > 0)) return 0;
  if (p >= 1) return n;
  if (p > 0.5) return n - draw_binomial(n, 1 - p, random);
  return n * p < 12 ? invert_binomial(n, p, random) : reject_binomial(n, p, random);
}

double draw_truncated_normal(double lower, double upper, Random& random) {
  if (lower > 0) {
    if ((upper - lower) * lower < 1) return normal_by_uniform(lower, upper, random);
    return normal_tail(lower, upper, random);
  }
  if (upper < 0) return -draw_truncated_normal(-upper, -lower, random);
  if (upper - lower < 2) return normal_by_uniform(lower, upper, random);
  if (lower == -kInfinity && upper == kInfinity) return draw_normal(random);
  // It holds 0 and is wide: a fair part of the normal draws falls into it.
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const double x = draw_normal(random);
    if (x >= lower && x <= upper) return x;
  }
  return kNoNumber;
}

}  // namespace croft::bugs

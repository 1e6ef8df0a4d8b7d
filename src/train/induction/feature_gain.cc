#include "train/induction/feature_gain.h"

#include <algorithm>
#include <cmath>

namespace croft {
namespace {

// log(1 + p (exp(x) - 1)) without overflow.
double log_mixture(double p, double x) {
  return x <= 0 ? std::log1p(p * std::expm1(x)) : x + std::log1p((1 - p) * std::expm1(-x));
}

// What p becomes when its odds are multiplied by exp(x).
double tilted(double p, double x) {
  if (x <= 0) {
    const double odds = p * std::exp(x);
    return odds / (odds + (1 - p));
  }
  return p / (p + (1 - p) * std::exp(-x));
}

struct Slope {
  double first = 0, second = 0;  // G' and G'' of the data and of l2
};

Slope slope_at(std::span<const GainPlace> places, double mu, double l2) {
  Slope slope{-l2 * mu, -l2};
  for (const GainPlace& t : places) {
    const double q = tilted(t.probability, mu * t.value);
    slope.first += t.weight * t.value * ((t.gold ? 1.0 : 0.0) - q);
    slope.second -= t.weight * t.value * t.value * q * (1 - q);
  }
  return slope;
}

// The weight that is best where all places have the mean probability, and without a penalty (IN.4);
// none where it is not finite.
double closed_form(std::span<const GainPlace> places) {
  double all = 0, gold = 0, expected = 0;
  for (const GainPlace& t : places) {
    all += t.weight;
    if (t.gold) gold += t.weight;
    expected += t.weight * t.probability;
  }
  return std::log(gold / (all - gold)) - std::log(expected / (all - expected));
}

}  // namespace

double gain_at(std::span<const GainPlace> places, double mu, const Regulariser& regulariser) {
  double sum = 0;
  for (const GainPlace& t : places) {
    const double x = mu * t.value;
    sum += t.weight * ((t.gold ? x : 0.0) - log_mixture(t.probability, x));
  }
  return sum - regulariser.l1 * std::abs(mu) - regulariser.l2 / 2 * mu * mu;
}

double gain_bound(double excess, const Regulariser& regulariser) {
  const double rest = std::max(0.0, std::abs(excess) - regulariser.l1);
  return rest * rest / (2 * regulariser.l2);
}

FeatureGain best_gain(std::span<const GainPlace> places, const Regulariser& regulariser) {
  constexpr int kMostSteps = 50;
  constexpr double kEnough = 1e-9;  // of the slope, relative to where it began
  const Slope start = slope_at(places, 0, regulariser.l2);
  const double rest = std::abs(start.first) - regulariser.l1;
  if (!(rest > 0)) return {};
  const double side = start.first > 0 ? 1 : -1;
  // On this side the slope falls from `rest`, and by l2 or more for each unit of |mu|.
  double low = 0, high = rest / regulariser.l2;
  double x = side * closed_form(places);
  if (!(x > 0 && x < high)) x = std::min(high, rest / -start.second);
  for (int step = 0; step < kMostSteps; ++step) {
    const Slope now = slope_at(places, side * x, regulariser.l2);
    const double slope = side * now.first - regulariser.l1;
    if (std::abs(slope) <= kEnough * rest) break;
    (slope > 0 ? low : high) = x;
    x -= slope / now.second;
    if (!(x > low && x < high)) x = low + (high - low) / 2;
  }
  return {side * x, std::max(0.0, gain_at(places, side * x, regulariser))};
}

}  // namespace croft

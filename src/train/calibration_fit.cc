#include "train/calibration_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "croft/core/compensated_sum.h"

namespace croft {
namespace {

// log(1 + exp(z))
double softplus(double z) { return z > 0 ? z + std::log1p(std::exp(-z)) : std::log1p(std::exp(z)); }

// Platt's cross entropy of scores divided by `unit`, with derivatives in (slope, offset).
class CrossEntropy {
 public:
  CrossEntropy(const std::vector<CalibrationExample>& examples, double unit)
      : examples_(examples), unit_(unit) {
    double right = 0, wrong = 0;
    for (const CalibrationExample& e : examples) (e.right ? right : wrong) += e.weight;
    target_right_ = (right + 1) / (right + 2);
    target_wrong_ = 1 / (wrong + 2);
    start_ = std::log((right + 1) / (wrong + 1));
  }
  double start() const { return start_; }  // the offset that is best with slope 0, about

  double value(const Sigmoid& g) const {
    CompensatedSum sum;
    for (const CalibrationExample& e : examples_) {
      const double z = g.slope * e.log_odds / unit_ + g.offset;
      const double target = e.right ? target_right_ : target_wrong_;
      sum.add(e.weight * (target * softplus(-z) + (1 - target) * softplus(z)));
    }
    return sum.value();
  }

  // The direction of Newton's method, and how fast the value falls along it.
  Sigmoid direction(const Sigmoid& g, double& slope_along) const {
    constexpr double kRidge = 1e-12;  // of scores that are all the same
    double ga = 0, gb = 0, haa = kRidge, hab = 0, hbb = kRidge;
    for (const CalibrationExample& e : examples_) {
      const double x = e.log_odds / unit_;
      const double p = 1 / (1 + std::exp(-(g.slope * x + g.offset)));
      const double d = e.weight * (p - (e.right ? target_right_ : target_wrong_));
      const double h = e.weight * p * (1 - p);
      ga += d * x;
      gb += d;
      haa += h * x * x;
      hab += h * x;
      hbb += h;
    }
    const double determinant = haa * hbb - hab * hab;
    Sigmoid step{-(hbb * ga - hab * gb) / determinant, -(haa * gb - hab * ga) / determinant};
    if (!(ga * step.slope + gb * step.offset < 0)) step = {-ga, -gb};  // rounding
    slope_along = ga * step.slope + gb * step.offset;
    return step;
  }

 private:
  const std::vector<CalibrationExample>& examples_;
  double unit_, target_right_ = 0, target_wrong_ = 0, start_ = 0;
};

}  // namespace

Sigmoid fit_sigmoid(const std::vector<CalibrationExample>& examples) {
  if (examples.empty()) return {};
  double squares = 0;
  for (const CalibrationExample& e : examples) squares += e.log_odds * e.log_odds;
  double unit = std::sqrt(squares / static_cast<double>(examples.size()));
  if (!(unit > 0)) unit = 1;
  const CrossEntropy loss(examples, unit);
  Sigmoid g{0, loss.start()};
  double value = loss.value(g);
  for (int iteration = 0; iteration < 100; ++iteration) {
    double falls = 0;
    const Sigmoid step = loss.direction(g, falls);
    if (falls > -1e-14 * (1 + value)) break;
    double length = 1;
    Sigmoid next = g;
    double lower = value;
    for (; length > 1e-10; length /= 2) {
      next = {g.slope + length * step.slope, g.offset + length * step.offset};
      lower = loss.value(next);
      if (lower <= value + 1e-4 * length * falls) break;
    }
    if (!(lower < value)) break;
    g = next;
    value = lower;
  }
  return {g.slope / unit, g.offset};
}

std::vector<double> pool_adjacent_violators(std::vector<double> y, std::vector<double> weight) {
  std::vector<std::size_t> size;  // of each block; y and weight of block k are at k
  std::size_t blocks = 0;
  for (std::size_t k = 0; k < y.size(); ++k) {
    y[blocks] = y[k];
    weight[blocks] = weight[k];
    size.push_back(1);
    ++blocks;
    while (blocks > 1 && y[blocks - 2] >= y[blocks - 1]) {
      const std::size_t b = blocks - 2;
      const double both = weight[b] + weight[b + 1];
      y[b] += (y[b + 1] - y[b]) * weight[b + 1] / both;
      weight[b] = both;
      size[b] += size[b + 1];
      size.pop_back();
      --blocks;
    }
  }
  std::vector<double> out;
  for (std::size_t b = 0; b < blocks; ++b) out.insert(out.end(), size[b], y[b]);
  return out;
}

IsotonicCurve fit_isotonic(std::vector<CalibrationExample> examples) {
  if (examples.empty()) return {{0.0}, {0.5}};
  std::ranges::sort(examples, {}, &CalibrationExample::log_odds);
  std::vector<double> x, y, weight;
  double total = 0;
  for (const CalibrationExample& e : examples) {
    if (x.empty() || x.back() != e.log_odds) {
      x.push_back(e.log_odds);
      y.push_back(0);
      weight.push_back(0);
    }
    weight.back() += e.weight;
    y.back() += ((e.right ? 1.0 : 0.0) - y.back()) * e.weight / weight.back();
    total += e.weight;
  }
  const std::vector<double> fitted = pool_adjacent_violators(std::move(y), std::move(weight));
  IsotonicCurve curve;
  for (std::size_t k = 0; k < x.size(); ++k) {  // the two ends of each block
    const bool inside =
        k > 0 && k + 1 < x.size() && fitted[k - 1] == fitted[k] && fitted[k] == fitted[k + 1];
    if (inside) continue;
    curve.at.push_back(x[k]);
    curve.value.push_back(std::clamp(fitted[k], 1 / (total + 2), (total + 1) / (total + 2)));
  }
  return curve;
}

std::optional<double> fit_temperature(const std::function<double(double inverse)>& f) {
  constexpr double kWidest = 1e6, kGolden = 0.6180339887498949;
  const double ln_widest = std::log(kWidest);
  const auto at = [&](double u) { return f(std::exp(u)); };
  // f falls towards the middle of [a, c] from both ends, in logarithms of 1/T.
  double a = -std::log(2.0), b = 0, c = std::log(2.0);
  double fa = at(a), fb = at(b), fc = at(c);
  while (fc <= fb && c < ln_widest) {
    a = b, fa = fb, b = c, fb = fc;
    c += std::log(2.0), fc = at(c);
  }
  if (c >= ln_widest) return std::nullopt;
  while (fa <= fb && a > -ln_widest) {
    c = b, fc = fb, b = a, fb = fa;
    a -= std::log(2.0), fa = at(a);
  }
  if (a <= -ln_widest) return std::nullopt;
  double left = c - kGolden * (c - a), right = a + kGolden * (c - a);
  double fl = at(left), fr = at(right);
  while (c - a > 1e-7) {
    if (fl < fr) {
      c = right, right = left, fr = fl;
      left = c - kGolden * (c - a), fl = at(left);
    } else {
      a = left, left = right, fl = fr;
      right = a + kGolden * (c - a), fr = at(right);
    }
  }
  return std::exp(-(a + c) / 2);
}

}  // namespace croft

// Draws of one continuous number by slice sampling.  docs/math/bugs_samplers.md section 2.
#pragma once
#include <algorithm>
#include <cmath>

#include "bugs/distributions/draws.h"
#include "croft/core/random.h"
#include "croft/core/state_archive.h"

namespace croft::bugs {

// Student's t with 4 degrees of freedom: both functions are in closed form.
inline double student4_quantile(double u) {
  const double y = 4 * std::sin(std::asin(2 * u - 1) / 3);  // t = y / sqrt(1 - y^2 / 4)
  return y / std::sqrt(1 - 0.25 * y * y);
}
inline double student4_cdf(double t) {
  const double y = t / std::sqrt(1 + 0.25 * t * t);
  return 0.5 + 0.375 * y * (1 - y * y / 12);
}
inline double student4_log_density(double t) { return -2.5 * std::log1p(0.25 * t * t); }

// The steps of a slice sampler on the real line, and what it adapts in the burn-in.
//
// At first it steps out from an interval of the width of recent moves (Neal 2003).  In the burn-in
// it learns centre and scale of the values; then it can also draw u where f(x(u)) / t(x(u)) lies
// above the level, x(u) the quantile of a t at that centre and scale (Heiner et al. 2024): where f
// is near that t, the first u is taken.  After the burn-in it keeps the one that took fewer calls
// of f.  Both leave f as it is, whatever centre, scale and width.
class SliceSteps {
 public:
  // f : double -> ln density, not normalised; -inf where there is none.  x: where f(x) > -inf,
  // f_x = f(x).  Returns the new x; the last call of f was at it.
  template <class F>
  double step(double x, double f_x, const F& f, Random& random) {
    calls_ = 0;
    if (!adapting_)
      return quantiles_ ? by_quantiles(x, f_x, f, random) : step_out(x, f_x, f, random);
    const bool warm = count_ >= kWarm && square_ > 1e-200;
    const bool quantiles = warm && (static_cast<int>(count_) % 2 == 1);
    const double next = quantiles ? by_quantiles(x, f_x, f, random) : step_out(x, f_x, f, random);
    learn(next, x, warm, quantiles);
    return next;
  }
  void end_adaptation() {
    adapting_ = false;
    quantiles_ = count_ > 2 * kWarm && square_ > 1e-200 && quantile_calls_ <= step_calls_;
  }
  void archive(StateArchive& state) {
    state(count_), state(weight_), state(mean_), state(square_), state(width_);
    state(step_calls_), state(quantile_calls_), state(adapting_), state(quantiles_);
  }

 private:
  // Each takes a third or so of the interval away.  As often from x to y as from y to x: where they
  // are used up, staying leaves f as it is.
  static constexpr int kMostShrinks = 400;
  static constexpr double kWarm = 50;  // values before their mean and deviation are used

  template <class F>
  double step_out(double x, double f_x, const F& f, Random& random) {
    const double level = f_x - draw_exponential(random);
    double low = x - width_ * random.uniform(), high = low + width_;
    // At most 40 steps, shared by the sides at random: the interval could have been found from any
    // point of the slice in it.
    int left = static_cast<int>(random.below(41)), right = 40 - left;
    while (left-- > 0 && above(f, low, level)) low -= width_;
    while (right-- > 0 && above(f, high, level)) high += width_;
    for (int k = 0; k < kMostShrinks; ++k) {
      const double next = low + (high - low) * random.uniform();
      if (above(f, next, level)) return next;
      if (low == next || high == next) break;
      (next < x ? low : high) = next;
    }
    return stay(x, f);
  }

  template <class F>
  double by_quantiles(double x, double f_x, const F& f, Random& random) {
    const double scale = std::sqrt(square_ / weight_);
    const double z = (x - mean_) / scale, at = student4_cdf(z);
    const double level = f_x - student4_log_density(z) - draw_exponential(random);
    double low = 0, high = 1;
    for (int k = 0; k < kMostShrinks; ++k) {
      const double u = low + (high - low) * random.uniform();
      const double next_z = student4_quantile(u), next = mean_ + scale * next_z;
      ++calls_;
      if (std::isfinite(next) && f(next) - student4_log_density(next_z) > level) return next;
      if (low == u || high == u) break;
      (u < at ? low : high) = u;
    }
    return stay(x, f);
  }

  template <class F>
  bool above(const F& f, double x, double level) {
    ++calls_;
    return f(x) > level;
  }
  // The interval has shrunk to nothing: f is too steep for doubles, or beyond them.
  template <class F>
  double stay(double x, const F& f) {
    f(x);
    return x;
  }

  void learn(double x, double before, bool warm, bool quantiles) {
    count_ += 1;
    if (count_ == kWarm || count_ == 4 * kWarm) {  // the way from the start counts less
      square_ *= 10 / weight_;
      weight_ = 10;
    }
    weight_ += 1;
    const double change = x - mean_;
    mean_ += change / weight_;
    square_ += change * (x - mean_);
    width_ += (3 * std::fabs(x - before) - width_) / std::min(count_ + 1, 100.0);
    width_ = std::max(width_, 1e-12 * (1 + std::fabs(x)));
    if (!warm) return;
    double& calls = quantiles ? quantile_calls_ : step_calls_;
    calls += (calls_ - calls) / std::min(0.5 * count_, 100.0);
  }

  double count_ = 0, weight_ = 0, mean_ = 0, square_ = 0, width_ = 1;
  double step_calls_ = 0, quantile_calls_ = 0;
  bool adapting_ = true, quantiles_ = false;
  int calls_ = 0;
};

}  // namespace croft::bugs

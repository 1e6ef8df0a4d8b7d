#include "optimize/batch/box_descent.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

namespace croft {

BoxDescentResult descend_in_box(BatchFunction& f, std::span<double> x, const BoxDescentOptions& o) {
  constexpr std::size_t kMemory = 10;
  constexpr double kEnough = 1e-4, kLeastStep = 1e-10, kMostStep = 1e10, kShortest = 1e-12;
  const std::size_t size = x.size();
  const auto project = [&](double each) { return std::clamp(each, o.lower, o.upper); };
  for (double& each : x) each = project(each);
  std::vector<double> g(size), trial(size), g_trial(size), d(size);
  BoxDescentResult result;
  const auto residual = [&] {
    double largest = 0;
    for (std::size_t k = 0; k < size; ++k) {
      largest = std::max(largest, std::abs(project(x[k] - g[k]) - x[k]));
    }
    return largest;
  };
  result.value = f.evaluate(x, g);
  result.evaluations = 1;
  std::deque<double> last{result.value};
  double step = 1;
  while ((result.residual = residual()) > o.tolerance && result.evaluations < o.max_evaluations) {
    double slope = 0;
    for (std::size_t k = 0; k < size; ++k) {
      d[k] = project(x[k] - step * g[k]) - x[k];
      slope += d[k] * g[k];
    }
    const double limit = *std::ranges::max_element(last);
    double t = 1, value = 0;
    for (;; t /= 2) {
      for (std::size_t k = 0; k < size; ++k) trial[k] = x[k] + t * d[k];
      value = f.evaluate(trial, g_trial);
      ++result.evaluations;
      if (value <= limit + kEnough * t * slope || t < kShortest) break;
    }
    double ss = 0, sy = 0;
    for (std::size_t k = 0; k < size; ++k) {
      const double s = trial[k] - x[k];
      ss += s * s;
      sy += s * (g_trial[k] - g[k]);
    }
    step = sy > 0 ? std::clamp(ss / sy, kLeastStep, kMostStep) : kMostStep;
    std::ranges::copy(trial, x.begin());
    g.swap(g_trial);
    result.value = value;
    last.push_back(value);
    if (last.size() > kMemory) last.pop_front();
    if (ss == 0) break;  // rounding
  }
  result.residual = residual();
  result.converged = result.residual <= o.tolerance;
  return result;
}

}  // namespace croft

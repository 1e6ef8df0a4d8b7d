#include "optimize/batch/line_search.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace croft {
namespace {

// F, a sum of many terms, is known to about this relative accuracy.  Within it the values say
// nothing about which of two points is lower, and the slopes, which stay accurate, decide alone.
// Without this slack a search stalls at |gradient| ~ sqrt(1e-16): the decrease is then rounded
// away.
constexpr double kRounding = 1e-14;

bool finite(const LinePoint& p) { return std::isfinite(p.value) && std::isfinite(p.slope); }

// The minimiser of the cubic that has both points' values and slopes; NaN where there is none.
double cubic_minimiser(const LinePoint& a, const LinePoint& b) {
  const double mean = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step);
  const double root = std::copysign(std::sqrt(mean * mean - a.slope * b.slope), b.step - a.step);
  return b.step - (b.step - a.step) * (b.slope + root - mean) / (b.slope - a.slope + 2 * root);
}

// A step inside the bracket: the cubic's, kept a tenth of the width away from both ends, so that
// the bracket shrinks at every trial.
double inside(const LinePoint& low, const LinePoint& high) {
  const double width = high.step - low.step;  // negative where the bracket extends to the left
  if (!finite(high)) return low.step + 0.2 * width;
  const double part = (cubic_minimiser(low, high) - low.step) / width;
  if (std::isnan(part)) return low.step + 0.5 * width;
  return low.step + std::clamp(part, 0.1, 0.9) * width;
}

// A step beyond `low`, which still goes downhill: the cubic's, between twice and eight times as
// far.
double beyond(const LinePoint& previous, const LinePoint& low) {
  const double step = cubic_minimiser(previous, low);
  return step > low.step ? std::clamp(step, 2 * low.step, 8 * low.step) : 8 * low.step;
}

}  // namespace

// Invariant: `low` satisfies (O.9), no trial so far is lower, and phi falls from `low` towards
// `high` (towards longer steps while there is no `high`), so that a step of (O.10) lies between
// them.
LineSearchResult strong_wolfe(const LineFunction& phi, const LinePoint& start, double first_step,
                              const WolfeOptions& options) {
  const double slack = kRounding * std::abs(start.value);
  LinePoint low = start, trial = start;
  std::optional<LinePoint> high;
  double step = first_step;
  std::size_t evaluations = 0;
  while (evaluations < options.max_evaluations) {
    trial = phi(step);
    ++evaluations;
    const double bound = start.value + options.decrease * step * start.slope;
    const LinePoint previous = low;
    if (!finite(trial) || trial.value > bound + slack || trial.value > low.value + slack) {
      high = trial;
    } else {
      if (std::abs(trial.slope) <= options.curvature * std::abs(start.slope)) {
        return {LineOutcome::wolfe, trial, evaluations};
      }
      const double towards_high = high ? high->step - low.step : 1.0;
      if (trial.slope * towards_high >= 0) high = low;
      low = trial;
    }
    if (high) {
      step = inside(low, *high);
      if (step == low.step || step == high->step) break;  // nothing representable is left between
    } else {
      step = beyond(previous, low);
    }
  }
  if (!(low.value < start.value)) return {LineOutcome::failed, start, evaluations};
  if (trial.step != low.step) {
    low = phi(low.step);
    ++evaluations;
  }
  return {LineOutcome::decreased, low, evaluations};
}

BacktrackResult backtrack(const std::function<ArmijoTrial(double step)>& trial, double start_value,
                          double first_step, std::size_t max_evaluations) {
  constexpr double kDecrease = 1e-4;  // c1 of (O.15)
  BacktrackResult result;
  result.step = first_step;
  for (;;) {
    const ArmijoTrial t = trial(result.step);
    ++result.evaluations;
    result.value = t.value;
    // False for a NaN, and where the move was too short to be one.
    if (t.predicted < 0 && t.value <= start_value + kDecrease * t.predicted &&
        std::isfinite(t.value)) {
      result.found = true;
      return result;
    }
    if (result.evaluations >= max_evaluations) return result;
    result.step *= 0.5;
  }
}

}  // namespace croft

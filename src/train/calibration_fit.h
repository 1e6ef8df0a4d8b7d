// What a calibrator is fitted by, on examples that the model was not trained on.
//
// Reads like docs/math/calibration.md; equation numbers (CA.n) point there.
#pragma once
#include <functional>
#include <vector>

#include "model/calibration.h"

namespace croft {

// One label at one position: its log-odds under the model, finite, and whether it is the true one.
struct CalibrationExample {
  double log_odds = 0;
  bool right = false;
  double weight = 1;  // above 0
};

// Minimises Platt's cross entropy (CA.4), whose smoothed targets keep the optimum finite, by
// Newton's method with a backtracking line search.  Without an example: the identity, slope 1 and
// offset 0. Each iteration costs O(examples); some ten are needed.
Sigmoid fit_sigmoid(const std::vector<CalibrationExample>& examples);

// The never decreasing function of least squares (CA.5), by pool-adjacent-violators, with values
// kept a share 1/(n + 2) away from 0 and 1, n being the total weight.  Without an example: the
// constant 1/2.  O(n log n).
IsotonicCurve fit_isotonic(std::vector<CalibrationExample> examples);

// The least squares themselves: of distinct increasing `x` the values of the blocks, parallel to
// it.
//   y, weight : parallel to x; weight > 0
std::vector<double> pool_adjacent_violators(std::vector<double> y, std::vector<double> weight);

// T > 0 that minimises f(1/T), a convex function of 1/T, to about 1e-7 of itself: a bracket around
// 1, then golden sections of log T; some 40 values of f.  Nothing where f still falls at 1/T = 1e6
// or 1e-6: there is no optimum.
std::optional<double> fit_temperature(const std::function<double(double inverse)>& f);

}  // namespace croft

// How far to go along a direction: strong Wolfe for smooth functions, Armijo for the rest.
//
// Nocedal & Wright (2006) sections 3.1 and 3.5; docs/math/optimisation.md section 3.
#pragma once
#include <cstddef>
#include <functional>

namespace croft {

// phi(step) = F(w + step d) and its derivative: one evaluation.
struct LinePoint {
  double step = 0, value = 0, slope = 0;
};
using LineFunction = std::function<LinePoint(double step)>;

struct WolfeOptions {
  double decrease = 1e-4;  // c1 of (O.9), in (0, curvature)
  // c2 of (O.10), in (decrease, 1).  0.9 accepts nearly every unit step of a quasi-Newton
  // direction; conjugate gradients need about 0.1.
  double curvature = 0.9;
  std::size_t max_evaluations = 20;  // >= 1; one more where the best step is not the last one tried
};

enum class LineOutcome {
  wolfe,      // (O.9) and (O.10) hold
  decreased,  // out of evaluations: (O.9) holds and F is lower than at the start
  failed      // no step lowers F
};

struct LineSearchResult {
  LineOutcome outcome = LineOutcome::failed;
  LinePoint point;  // phi was last called here, unless outcome is `failed`
  std::size_t evaluations = 0;
};

// Strong Wolfe by a bracket that shrinks: cubic interpolation inside, expansion while there is no
// upper end.  A step at which value or slope is not finite counts as too long.
//   start : step 0, its value and its slope, which must be negative
LineSearchResult strong_wolfe(const LineFunction& phi, const LinePoint& start, double first_step,
                              const WolfeOptions& options = {});

// A trial of the second kind: F there, and the change of F that the first-order model promises for
// the move really made (negative), which is not step * slope where the move was projected.
struct ArmijoTrial {
  double value = 0, predicted = 0;
};

struct BacktrackResult {
  bool found = false;
  double step = 0;  // the last one tried
  double value = 0;
  std::size_t evaluations = 0;
};

// Halves the step from first_step until  F(trial) <= F(start) + c1 * predicted  (O.15).
BacktrackResult backtrack(const std::function<ArmijoTrial(double step)>& trial, double start_value,
                          double first_step, std::size_t max_evaluations);

}  // namespace croft

// Minimises a smooth function within a box, by projected gradients whose steps follow the
// curvature.
//
//   d = P(x - a g) - x,    x <- x + t d,    a = s.s / s.y                                  (B.39)
//
// P projects on the box; s and y are the last differences of x and of the gradient g.  The value
// may rise now and then: t is halved until it is below the largest of the last ten by a share of
// t g.d.  Spectral projected gradients: Birgin, Martinez & Raydan (2000).  For few variables, such
// as multipliers.  docs/math/batch_optimisation.md section 10.
#pragma once
#include <cstddef>
#include <span>

#include "croft/optimize/function.h"

namespace croft {

struct BoxDescentOptions {
  double lower = 0, upper = 0;  // of every variable, lower < upper
  double tolerance = 1e-8;      // largest |P(x - g) - x| to stop at
  std::size_t max_evaluations = 500;
};

struct BoxDescentResult {
  double value = 0;
  double residual = 0;  // largest |P(x - g) - x|
  std::size_t evaluations = 0;
  bool converged = false;
};

//   x : in and out; is projected on the box first.  The function's last evaluation is at the x that
//       is returned.
// Requires: f is finite in the box.
BoxDescentResult descend_in_box(BatchFunction& f, std::span<double> x,
                                const BoxDescentOptions& options);

}  // namespace croft

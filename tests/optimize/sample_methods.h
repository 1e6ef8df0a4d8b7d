// What every method that goes from sample to sample is tested for.
#pragma once
#include <cmath>
#include <vector>

#include "croft/optimize/lbfgs.h"
#include "optimize/memory_checkpoint.h"
#include "optimize/sample_functions.h"

namespace croft::testing_functions {

using Vector = std::vector<double>;

// F at the minimum, to ten digits.
inline double minimum(BatchFunction& f, const Regulariser& regulariser) {
  ThreadPool pool(1);
  Vector w(f.dimension());
  LbfgsOptions options;
  options.stop.tolerance = 1e-11;
  options.stop.gradient_tolerance = 1e-8;
  const auto method = regulariser.l1 > 0 ? owlqn : lbfgs;
  return method(f, regulariser, w, options, pool, {}, nullptr).objective;
}

// (F(w) - F*) / F*, with F taken anew.
inline double gap(BatchFunction& f, const Regulariser& regulariser, const Vector& w) {
  Vector gradient(w.size());
  double value = f.evaluate(w, gradient);
  for (const double x : w) {
    value += regulariser.l1 * std::abs(x) + 0.5 * regulariser.l2 * x * x;
  }
  const double best = minimum(f, regulariser);
  return (value - best) / best;
}

}  // namespace croft::testing_functions

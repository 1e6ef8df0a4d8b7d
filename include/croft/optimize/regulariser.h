// Value and derivatives of  R(w) = l1 |w|_1 + (l2/2) |w|_2^2.   docs/math/optimisation.md section 1
#pragma once
#include <algorithm>
#include <span>

#include "croft/optimize/function.h"

namespace croft {

// R(w) from |w|_1 and |w|_2^2.
inline double penalty(const Regulariser& regulariser, double absolute, double squared) {
  return regulariser.l1 * absolute + 0.5 * regulariser.l2 * squared;
}

// gradient += l2 w, the derivative of the smooth part of R.
void add_l2_gradient(const Regulariser& regulariser, std::span<const double> w,
                     std::span<double> gradient);

// One coordinate of the pseudo-gradient of F (O.11): of the two one-sided derivatives at w the one
// that leads downhill, 0 where neither does.  `gradient` is that of f(w) + (l2/2) |w|_2^2.
// Without branches: signs of weights are as hard to predict as coins.
inline double pseudo_gradient(double w, double gradient, double l1) {
  const bool positive = w > 0, negative = w < 0;
  double shift = -std::min(std::max(gradient, -l1), l1);  // at 0: towards 0, by l1 at most
  shift = positive ? l1 : shift;
  shift = negative ? -l1 : shift;
  return gradient + shift;
}
void pseudo_gradient(std::span<const double> w, std::span<const double> gradient, double l1,
                     std::span<double> out);

}  // namespace croft

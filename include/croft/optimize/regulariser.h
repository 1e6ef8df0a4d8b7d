// Value and derivatives of  R(w) = l1 |w|_1 + (l2/2) |w|_2^2,  where the norms are those of the
// weights that are not free.  docs/math/optimisation.md section 1
//
// A piece of w comes with the coordinate that it begins at, since methods go through w in blocks.
#pragma once
#include <algorithm>
#include <span>
#include <string_view>

#include "croft/optimize/function.h"

namespace croft {

// R(w) from |w|_1 and |w|_2^2.
inline double penalty(const Regulariser& regulariser, double absolute, double squared) {
  return regulariser.l1 * absolute + 0.5 * regulariser.l2 * squared;
}

// Where the free coordinates of a piece w[begin, begin + size) stand: [from, to), counted from
// `begin`.  None: from == to == size.
struct FreePart {
  std::size_t from, to;
};
FreePart free_part(const Regulariser& regulariser, std::size_t begin, std::size_t size);

// |w|_1 and |w|_2^2 of a piece, as R has them, and of its free coordinates.
double penalised_absolute(const Regulariser& regulariser, std::size_t begin,
                          std::span<const double> w);
double penalised_square(const Regulariser& regulariser, std::size_t begin,
                        std::span<const double> w);
double free_square(const Regulariser& regulariser, std::size_t begin, std::span<const double> w);

// gradient += the derivative of the smooth part of R, for a piece.
void add_l2_gradient(const Regulariser& regulariser, std::size_t begin, std::span<const double> w,
                     std::span<double> gradient);
inline void add_l2_gradient(const Regulariser& regulariser, std::span<const double> w,
                            std::span<double> gradient) {
  add_l2_gradient(regulariser, 0, w, gradient);
}

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
// The same for a piece; for free coordinates it is the gradient.
void pseudo_gradient(const Regulariser& regulariser, std::size_t begin, std::span<const double> w,
                     std::span<const double> gradient, std::span<double> out);

// Throws UsageError where a method that would penalise all weights is to leave some free.
//   method : as in "… penalises every weight"
void check_none_free(const Regulariser& regulariser, std::string_view method);

}  // namespace croft

// How far each method that is chosen by default goes: one row a limit.
#pragma once
#include <cstddef>
#include <string>

#include "train/methods/methods.h"

namespace croft {

struct MethodLimits {
  // Bytes, of what this process may plan with (core/memory.h).
  double dual_variables;  // of dual ascent
  double span_weights;    // that span-lbfgs puts aside
  double scratch;         // a thread's tables of dual ascent, of order 2 or more
  // Measured: beyond these another method is faster (docs/performance.md).
  std::size_t dual_labels = 64;         // of a chain
  std::size_t dual_labels_alone = 160;  // of positions by themselves
  std::size_t dual_attributes = 500;    // with fewer of them L-BFGS needs few iterations
  std::size_t newton_weights = 5000;
  // The same with few labels, of values of sizes far apart, where L-BFGS would not converge.
  std::size_t newton_labels = 9, newton_weights_of_few_labels = 400'000;
  double dual_curvature = 500;  // |x|^2 / l2: above, a step of dual ascent gains little
  double strong_penalty = 2;    // |x|^2 / l2: below, L-BFGS needs no passes of SGD before it
  // Attributes of all positions from which on span-lbfgs is in single precision: the rounding of a
  // gradient does not show before some 1e-7 of F.
  std::size_t span_occurrences = 400'000;
};
// Processes that train together have to choose alike, whatever machine each of them is on.
MethodLimits method_limits(bool alone);

// The method that a training takes, and why where nobody named it; empty: there is no other.
struct ChosenMethod {
  Method method;
  std::string why;
};

// "1.2 GB of 2.9 GB": what is needed, and the limit.
std::string bytes_of(double bytes, double limit);

}  // namespace croft

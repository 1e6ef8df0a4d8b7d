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
  // Where another method was faster (docs/performance.md).
  std::size_t dual_labels = 64;         // of a chain
  std::size_t dual_labels_alone = 160;  // of positions by themselves
  std::size_t newton_weights = 5000;
  double dual_curvature = 500;  // |x|^2 / l2: above, a step of dual ascent gains little
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

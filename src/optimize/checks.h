// What every batch optimiser checks before it moves.
#pragma once
#include <span>

#include "croft/optimize/function.h"
#include "croft/optimize/result.h"

namespace croft {

// Throws UsageError where w has not f.dimension() numbers.
void check_dimension(const BatchFunction& f, std::span<const double> w);

// Throws Error where the objective or its gradient is not finite at the starting point.
void check_start(const Iteration& start);

// Throws Error where the objective of a later iterate is not.
void check_finite(const Iteration& now);

}  // namespace croft

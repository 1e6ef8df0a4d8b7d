// Cumulative distribution functions and quantiles, by the incomplete gamma and beta functions of
// Boost.Math.
#pragma once
#include "bugs/distributions.h"

namespace croft::bugs {

// ln P(Z > z) of the standard normal distribution, without underflow.
double log_normal_tail(double z);

// Sizes at which the incomplete gamma and beta functions of Boost.Math are quick and exact.  Beyond
// them tails are summed and integrated, as those between bounds are (truncation.cc).
bool is_moderate(DistributionId id, Bounds bounds, Parameters parameters);

}  // namespace croft::bugs

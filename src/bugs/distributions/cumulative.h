// Cumulative distribution functions and quantiles, by the incomplete gamma and beta functions of
// Boost.Math.
#pragma once
#include "bugs/distributions.h"

namespace croft::bugs {

// ln P(Z > z) of the standard normal distribution, without underflow.
double log_normal_tail(double z);

}  // namespace croft::bugs

// The logarithm of 1 + e^x.
#pragma once
#include <cmath>

namespace croft::bugs {

inline double softplus(double x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))); }

}  // namespace croft::bugs

// The score of what is forbidden is -inf; the bound of what nothing bounds is +inf.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace croft {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kMinusInfinity = -kInf;

inline bool all_finite(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
}

}  // namespace croft

// The score of what is forbidden is -inf; the bound of what nothing bounds is +inf.
#pragma once
#include <limits>

namespace croft {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kMinusInfinity = -kInf;

}  // namespace croft

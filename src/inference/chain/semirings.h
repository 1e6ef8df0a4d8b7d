// What "sum" and "product" mean in a message.  Internal to inference/.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace croft {

// Sums of ordinary numbers, which must fit a double.
struct ScaledSum {
  static constexpr double zero = 0, one = 1;
  static double plus(double a, double b) { return a + b; }
  static double times(double a, double b) { return a * b; }
};

// The same of their logarithms.
struct LogSum {
  static constexpr double zero = -std::numeric_limits<double>::infinity(), one = 0;
  static double plus(double a, double b) {
    const double high = std::max(a, b), low = std::min(a, b);
    return low == zero ? high : high + std::log1p(std::exp(low - high));
  }
  static double times(double a, double b) { return a + b; }
};

// Largest scores.
struct LogMax {
  static constexpr double zero = -std::numeric_limits<double>::infinity(), one = 0;
  static double plus(double a, double b) { return std::max(a, b); }
  static double times(double a, double b) { return a + b; }
};

}  // namespace croft

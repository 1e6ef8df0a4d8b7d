// Numbers between bounds as numbers of the whole line.
#pragma once
#include <cmath>

#include "bugs/distributions.h"

namespace croft::bugs {

// From the real line to the numbers between the bounds, with ln |dx / dy|.
class Stretch {
 public:
  explicit Stretch(Bounds bounds) : low_(bounds.lower), high_(bounds.upper) {}
  double x(double y) const {
    if (std::isfinite(low_) && std::isfinite(high_)) {
      const double e = std::exp(-std::fabs(y)), part = e / (1 + e);
      return y < 0 ? low_ + (high_ - low_) * part : high_ - (high_ - low_) * part;
    }
    if (std::isfinite(low_)) return low_ + std::exp(y);
    return std::isfinite(high_) ? high_ - std::exp(y) : y;
  }
  double y(double x) const {
    if (std::isfinite(low_) && std::isfinite(high_))
      return std::log(x - low_) - std::log(high_ - x);
    if (std::isfinite(low_)) return std::log(x - low_);
    return std::isfinite(high_) ? std::log(high_ - x) : x;
  }
  double log_slope(double y) const {
    if (std::isfinite(low_) && std::isfinite(high_))
      return -std::fabs(y) - 2 * std::log1p(std::exp(-std::fabs(y)));
    return std::isfinite(low_) || std::isfinite(high_) ? y : 0;
  }

 private:
  double low_, high_;
};

}  // namespace croft::bugs

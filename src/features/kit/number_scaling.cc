#include "features/kit/number_scaling.h"

#include <algorithm>
#include <cmath>

#include "croft/core/compensated_sum.h"

namespace croft {

std::size_t NumberScaling::bin(double x) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(cuts, x) - cuts.begin());
}

NumberScaling fit_numbers(std::span<const double> values, Binning binning, std::size_t bins) {
  NumberScaling fitted;
  if (values.empty()) return fitted;
  const auto count = static_cast<double>(values.size());
  CompensatedSum sum, squares;
  for (const double x : values) sum.add(x / count);  // large numbers do not overflow
  fitted.mean = sum.value();
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const double range = sorted.back() / 2 - sorted.front() / 2;
  if (range > 0) {
    for (const double x : values) {
      const double difference = (x / 2 - fitted.mean / 2) / range;
      squares.add(difference * difference);
    }
    const double deviation = 2 * range * std::sqrt(squares.value() / count);
    if (deviation > 0 && std::isfinite(deviation)) fitted.deviation = deviation;
  }
  for (std::size_t k = 1; k < bins; ++k) {
    const double part = static_cast<double>(k) / static_cast<double>(bins);
    double cut = 0;
    if (binning == Binning::width) {
      cut = sorted.front() + 2 * (range * part);
    } else {
      cut = sorted[k * sorted.size() / bins];
    }
    if (cut > (fitted.cuts.empty() ? sorted.front() : fitted.cuts.back())) {
      fitted.cuts.push_back(cut);
    }
  }
  return fitted;
}

}  // namespace croft

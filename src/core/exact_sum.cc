#include "core/exact_sum.h"

#include <algorithm>
#include <limits>

namespace croft {

ExactSum::ExactSum(double most) {
  int exponent = 0;
  std::frexp(most, &exponent);  // most < 2^exponent
  unit_ = std::ldexp(1.0, std::clamp(exponent - 51, -1000, 900));
  shift_ = std::ldexp(1.5, std::ilogb(unit_) + 52);
}

void mean_of_all(Ranks& ranks, std::span<double> numbers) {
  if (ranks.alone()) return;
  double most = std::numeric_limits<double>::min();
  for (const double each : numbers) most = std::max(most, std::abs(each));
  most = largest_of_all(ranks, most);
  const auto size = static_cast<double>(ranks.size());
  ExactSum exact(most * size);
  exact.begin_block(most);
  for (double& each : numbers) {
    double rounded = 0;
    exact.add(each, rounded);
    each = rounded;
  }
  ranks.sum(numbers);
  for (double& each : numbers) each /= size;
}

}  // namespace croft

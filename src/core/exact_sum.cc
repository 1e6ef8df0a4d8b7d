#include "core/exact_sum.h"

#include <algorithm>
#include <limits>

#include "croft/core/error.h"

namespace croft {

ExactSum::ExactSum(double most) {
  if (std::isinf(most)) {
    unit_ = shift_ = 0;
    return;
  }
  int exponent = 0;
  std::frexp(most, &exponent);  // most < 2^exponent
  unit_ = std::ldexp(1.0, std::clamp(exponent - 51, -1000, 900));
  shift_ = std::ldexp(1.5, std::ilogb(unit_) + 52);
}

void sum_counts(Ranks& ranks, std::span<double> counts) {
  if (ranks.alone()) return;
  const double most = 0x1p53 / static_cast<double>(ranks.size());
  const bool whole = std::ranges::all_of(
      counts, [&](double count) { return count == std::floor(count) && std::abs(count) < most; });
  if (any_of_all(ranks, !whole)) {
    throw UsageError(
        "several processes count whole numbers alone, and weights or values of this data are none: "
        "start croft without mpirun");
  }
  ranks.sum(counts);
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

// Beliefs as logarithms: relative to the largest, and still on their way although no probability
// changes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/infinity.h"

namespace croft {

// Of states too unlikely to be seen in probabilities, by their logarithms: they may be on the way
// to the top, over many iterations where scores are large.
inline double hidden_rise(std::span<const double> now, std::span<const double> before,
                          double seen) {
  double most = 0;
  for (std::size_t x = 0; x < now.size(); ++x) {
    if (before[x] < seen && now[x] > before[x]) {
      most = std::max(most, (now[x] - before[x]) / -before[x]);
    }
  }
  return most;
}

// Logarithms relative to the largest; false where there is none.
inline bool make_relative(std::vector<double>& logs) {
  const double high = *std::ranges::max_element(logs);
  if (high == -kInf) return false;
  for (double& each : logs) each -= high;
  return true;
}

}  // namespace croft

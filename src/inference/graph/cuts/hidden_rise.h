// Beliefs that are still on their way although no probability changes.  Internal to inference/.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

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

}  // namespace croft

#include "python/read/linear_rows.h"

namespace croft::python {

// A row touches rows of weights here and there: those to come are asked for ahead.
void add_scores(const WeighedRows& x, double* out) {
  constexpr std::size_t kAhead = 6;
  constexpr std::size_t kLine = 8;  // doubles of a line of the cache
  const std::size_t width = x.width, columns = x.columns, count = x.column.size();
  const std::int64_t* const column = x.column.data();
  const double* const value = x.value.data();
  const double* const weights = x.weights.data();
  for (std::size_t n = 0; n + 1 < x.begin.size(); ++n) {
    double* __restrict const to = out + n * width;
    const auto end = static_cast<std::size_t>(x.begin[n + 1]);
    for (auto i = static_cast<std::size_t>(x.begin[n]); i < end; ++i) {
      if (i + kAhead < count) {
        const auto next = static_cast<std::size_t>(column[i + kAhead]) * width;
        for (std::size_t k = 0; k < width; k += kLine) __builtin_prefetch(weights + next + k);
      }
      const auto d = static_cast<std::size_t>(column[i]);
      if (d >= columns) continue;
      const double* __restrict const row = weights + d * width;
      for (std::size_t k = 0; k < width; ++k) to[k] += value[i] * row[k];
    }
  }
}

}  // namespace croft::python

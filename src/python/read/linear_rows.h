// Scores of matrices by linear models.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace croft::python {

// The numbers of a matrix in CSR, and the weights of its columns.
struct WeighedRows {
  std::span<const double> value;
  std::span<const std::int64_t> column;
  std::span<const std::int64_t> begin;  // [N + 1] into both
  std::span<const double> weights;      // [columns][width]
  std::size_t columns, width;
};
// out[n] += sum_d x[n][d] weights[d]:  [N][width].  A number of a column that there is not is left
// out: other threads may write to `column`.
void add_scores(const WeighedRows& x, double* out);

}  // namespace croft::python

// Weighted sums of a table's rows, one row of a sparse matrix times a dense one, and the transpose
// of that (SIMD, run-time dispatch).
#pragma once
#include <cstdint>
#include <span>

#include "croft/core/matrix.h"

namespace croft {

// out[0, table.stride()) = sum_k value[k] table.row(index[k]), in the order of k.
//   value : parallel to index; empty: 1 each
//   out   : aligned as rows of a Matrix are; overwritten
// Cost: index.size() rows are read, from anywhere in the table; they are asked for ahead.
void weighted_row_sum(std::span<const std::uint32_t> index, std::span<const float> value,
                      const Matrix<float>& table, float* out);
void weighted_row_sum(std::span<const std::uint32_t> index, std::span<const double> value,
                      const Matrix<double>& table, double* out);

// table.row(index[k]) += value[k] row, in the order of k.
//   row : table.stride() numbers
void add_weighted_row(std::span<const std::uint32_t> index, std::span<const float> value,
                      const float* row, Matrix<float>& table);
void add_weighted_row(std::span<const std::uint32_t> index, std::span<const double> value,
                      const double* row, Matrix<double>& table);

}  // namespace croft

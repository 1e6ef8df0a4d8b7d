// SIMD kernels of tables of transitions.  Internal.
#pragma once
#include <cstddef>

namespace croft {

// The range of the finite numbers of a table, which has rows of `stride` of which `columns` count.
struct ScoreRange {
  double low, high;  // +inf, -inf where no number is finite
  bool forbidden;    // some number is -inf
};
ScoreRange score_range(const float* table, std::size_t rows, std::size_t columns,
                       std::size_t stride);

// out = exp(table - shift), 0 for -inf; size: a multiple of kLanePadding; both aligned as a Matrix.
void exp_table(const float* table, float shift, std::size_t size, float* out);

}  // namespace croft

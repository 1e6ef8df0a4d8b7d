// Products of tables, block by block.  Internal to inference/.
//
// A clique's table is gone through in blocks of its last variables, which fit a cache.  A view says
// where a block finds the numbers of a table over some of the clique's variables.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace croft {

// Where the entries of a block stand in a table, counted from the block's place in it.
struct BlockView {
  // Runs of `run` entries, which stand side by side, or are all the same number.
  std::size_t run = 1;
  bool same = true;
  std::vector<std::uint32_t> offset;  // [runs]
};

// block[i] = scale in[i's place]; scale + for logarithms.
void set_product(const BlockView& view, double scale, const double* in, double* block);
void set_sum(const BlockView& view, double scale, const double* in, double* block);
// block[i] *= in[i's place]; adding for logarithms.
void multiply_block(const BlockView& view, const double* in, double* block);
void add_block(const BlockView& view, const double* in, double* block);
// out[i's place] += block[i], and the larger of the two.
void sum_block(const BlockView& view, const double* block, double* out);
void max_block(const BlockView& view, const double* block, double* out);
// out[i's place] += exp(block[i] - high[i's place]), nothing for -inf.
void exp_sum_block(const BlockView& view, const double* block, const double* high, double* out);

// The largest of n >= 0 numbers that are not negative, and the smallest that is not 0 (infinity).
void find_extent(const double* values, std::size_t n, double& largest, double& smallest);
void multiply_by(double factor, std::size_t n, double* values);
// divisor[i] = values[i] / divisor[i]; 0 where that is 0 / 0.
void divide_by(const double* values, std::size_t n, double* divisor);

}  // namespace croft

// Sums of gradients, and what they are worth, over the outputs of a tree.  Internal to
// regression_tree_fit.h.  n is a multiple of kLanePadding.
#pragma once
#include <cstddef>

namespace croft::tree_kernels {

void add(const float* row, std::size_t n, double* sum);  // sum += row
void add(const double* from, std::size_t n, double* sum);
void subtract(const double* from, std::size_t n, double* sum);  // sum -= from
// sum_y g^2 / max(h + l2, kLeastCurvature), of g = sums[0..n), h = sums[n..2n)
double score(const double* sums, std::size_t n, double l2);
double score_of_rest(const double* total, const double* sums, std::size_t n, double l2);
double sum(const double* numbers, std::size_t n);

}  // namespace croft::tree_kernels

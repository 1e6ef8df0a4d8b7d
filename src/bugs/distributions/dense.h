// Cholesky factors of small dense matrices, in R's order (a symmetric one: any order).
#pragma once
#include <cmath>
#include <cstddef>
#include <span>

namespace croft::bugs {

// matrix = L L', L in the lower triangle of `factor` (element (i, j) at i + j n; the rest is 0).
// false where the matrix is not positive definite.  O(n^3 / 3).
bool dense_cholesky(std::size_t n, std::span<const double> matrix, std::span<double> factor);

double log_determinant_of_factor(std::size_t n, std::span<const double> factor);  // of L L'
// In place: x := L^-1 x, and x := L'^-1 x.
void solve_lower(std::size_t n, std::span<const double> factor, double* x);
void solve_upper(std::size_t n, std::span<const double> factor, double* x);
// inverse of L L'.
void invert_factor(std::size_t n, std::span<const double> factor, std::span<double> inverse);

}  // namespace croft::bugs

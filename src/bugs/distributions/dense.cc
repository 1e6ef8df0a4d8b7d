#include "bugs/distributions/dense.h"

#include <algorithm>

namespace croft::bugs {

bool dense_cholesky(std::size_t n, std::span<const double> matrix, std::span<double> factor) {
  std::fill(factor.begin(), factor.end(), 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    double diagonal = matrix[j + j * n];
    for (std::size_t k = 0; k < j; ++k) diagonal -= factor[j + k * n] * factor[j + k * n];
    if (!(diagonal > 0) || !std::isfinite(diagonal)) return false;
    const double root = std::sqrt(diagonal);
    factor[j + j * n] = root;
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = matrix[i + j * n];
      for (std::size_t k = 0; k < j; ++k) sum -= factor[i + k * n] * factor[j + k * n];
      factor[i + j * n] = sum / root;
    }
  }
  return true;
}

double log_determinant_of_factor(std::size_t n, std::span<const double> factor) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += std::log(factor[i + i * n]);
  return 2 * sum;
}

void solve_lower(std::size_t n, std::span<const double> factor, double* x) {
  for (std::size_t i = 0; i < n; ++i) {
    double sum = x[i];
    for (std::size_t k = 0; k < i; ++k) sum -= factor[i + k * n] * x[k];
    x[i] = sum / factor[i + i * n];
  }
}

void solve_upper(std::size_t n, std::span<const double> factor, double* x) {
  for (std::size_t i = n; i-- > 0;) {
    double sum = x[i];
    for (std::size_t k = i + 1; k < n; ++k) sum -= factor[k + i * n] * x[k];
    x[i] = sum / factor[i + i * n];
  }
}

void invert_factor(std::size_t n, std::span<const double> factor, std::span<double> inverse) {
  for (std::size_t j = 0; j < n; ++j) {
    double* column = inverse.data() + j * n;
    std::fill(column, column + n, 0.0);
    column[j] = 1;
    solve_lower(n, factor, column);
    solve_upper(n, factor, column);
  }
}

}  // namespace croft::bugs

#include "bugs/dense_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace croft::bugs {
namespace {

std::size_t order_of(std::span<const double> matrix) {
  return static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(matrix.size()))));
}

// Gauss and Jordan with the largest pivot of a column: ln |det|; `right`, if any, is multiplied by
// the inverse.
double eliminate(std::vector<double>& a, std::size_t n, std::span<double> right) {
  double log_determinant = 0;
  const auto swap_rows = [n](std::span<double> m, std::size_t p, std::size_t q) {
    for (std::size_t c = 0; c < n; ++c) std::swap(m[p + c * n], m[q + c * n]);
  };
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t r = k + 1; r < n; ++r) {
      if (std::abs(a[r + k * n]) > std::abs(a[pivot + k * n])) pivot = r;
    }
    const double value = a[pivot + k * n];
    if (value == 0 || std::isnan(value)) {
      std::ranges::fill(right, std::numeric_limits<double>::quiet_NaN());
      return value == 0 ? -std::numeric_limits<double>::infinity() : value;
    }
    log_determinant += std::log(std::abs(value));
    if (pivot != k) {
      swap_rows(a, pivot, k);
      if (!right.empty()) swap_rows(right, pivot, k);
    }
    for (std::size_t c = 0; c < n; ++c) {
      a[k + c * n] /= value;
      if (!right.empty()) right[k + c * n] /= value;
    }
    for (std::size_t r = 0; r < n; ++r) {
      const double factor = a[r + k * n];
      if (r == k || factor == 0) continue;
      for (std::size_t c = 0; c < n; ++c) {
        a[r + c * n] -= factor * a[k + c * n];
        if (!right.empty()) right[r + c * n] -= factor * right[k + c * n];
      }
    }
  }
  return log_determinant;
}

}  // namespace

void multiply_matrices(std::span<const double> x, std::size_t rows, std::size_t columns,
                       std::span<double> out) {
  const std::size_t inner = x.size() / (rows + columns);
  const auto left = x.first(rows * inner), right = x.subspan(rows * inner);
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (std::size_t k = 0; k < inner; ++k) sum += left[r + k * rows] * right[k + c * inner];
      out[r + c * rows] = sum;
    }
  }
}

void invert_matrix(std::span<const double> matrix, std::span<double> out) {
  const std::size_t n = order_of(matrix);
  std::vector<double> a(matrix.begin(), matrix.end());
  std::ranges::fill(out, 0.0);
  for (std::size_t k = 0; k < n; ++k) out[k + k * n] = 1;
  eliminate(a, n, out);
}

double log_determinant_of(std::span<const double> matrix) {
  std::vector<double> a(matrix.begin(), matrix.end());
  return eliminate(a, order_of(matrix), {});
}

}  // namespace croft::bugs

#include "optimize/batch/cholesky.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/vector_math.h"

namespace croft {
namespace {

// Columns that are done together: so many rows of L stay in a second-level cache while every other
// row goes by.
constexpr std::size_t kBlock = 32;

}  // namespace

void SymmetricMatrix::take_diagonal() {
  for (std::size_t i = 0; i < size(); ++i) diagonal_[i] = a_(i, i);
}

// Row by row, L_ij = (A_ij - sum_{k<j} L_ik L_jk) / L_jj, for a block of columns at a time.
bool SymmetricMatrix::factorise_shifted(ThreadPool& pool) {
  const auto product = [&](std::size_t i, std::size_t j) {
    return dot(std::span<const double>(a_.row(i), j), std::span<const double>(a_.row(j), j));
  };
  for (std::size_t first = 0; first < size(); first += kBlock) {
    const std::size_t last = std::min(first + kBlock, size());
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t j = first; j < i; ++j) a_(i, j) = (a_(j, i) - product(i, j)) / a_(j, j);
      const double pivot = diagonal_[i] + shift_[i] - product(i, i);
      if (!(pivot > 1e-14 * (std::abs(diagonal_[i]) + shift_[i])) || std::isinf(pivot))
        return false;
      a_(i, i) = std::sqrt(pivot);
    }
    pool.run(size() - last, [&](std::size_t below, std::size_t) {
      const std::size_t i = last + below;
      for (std::size_t j = first; j < last; ++j) a_(i, j) = (a_(j, i) - product(i, j)) / a_(j, j);
    });
  }
  return true;
}

bool SymmetricMatrix::factorise(double tau, ThreadPool& pool) {
  shift_.assign(size(), tau);
  return factorise_shifted(pool);
}

// A matrix that is singular and no worse, as of a softmax whose intercepts have no penalty, needs
// next to nothing; what is added goes with each diagonal number, so that badly scaled weights stay
// free.
double SymmetricMatrix::factorise_modified(ThreadPool& pool) {
  if (factorise(0, pool)) return 0;
  double largest = 0;
  for (const double d : diagonal_) largest = std::max(largest, std::abs(d));
  for (double tau = 1e-10; std::isfinite(tau); tau *= 10) {
    for (std::size_t i = 0; i < size(); ++i) {
      shift_[i] = tau * std::max(std::abs(diagonal_[i]), 1e-12 * (largest > 0 ? largest : 1));
    }
    if (factorise_shifted(pool)) return tau;
  }
  return std::numeric_limits<double>::infinity();
}

void SymmetricMatrix::solve(std::span<double> x) const {
  for (std::size_t i = 0; i < size(); ++i) {  // L z = x
    x[i] = (x[i] - dot(std::span<const double>(a_.row(i), i), x.first(i))) / a_(i, i);
  }
  for (std::size_t i = size(); i-- > 0;) {  // L' x = z
    x[i] /= a_(i, i);
    axpy(-x[i], std::span<const double>(a_.row(i), i), x.first(i));
  }
}

}  // namespace croft

#include "optimize/batch/cholesky.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "croft/core/random.h"

namespace croft::cholesky_test {
namespace {

using Vector = std::vector<double>;

// M M' / n + shift I
Matrix<double> random_matrix(std::size_t n, double shift, Random& random) {
  Matrix<double> m(n, n), a(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) m(i, j) = random.normal();
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) a(i, j) += m(i, k) * m(j, k) / static_cast<double>(n);
    }
    a(i, i) += shift;
  }
  return a;
}

SymmetricMatrix upper_triangle(const Matrix<double>& a) {
  SymmetricMatrix matrix(a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = i; j < a.rows(); ++j) matrix.row(i)[j] = a(i, j);
  }
  matrix.take_diagonal();
  return matrix;
}

// (A + tau I) x
Vector product(const Matrix<double>& a, double tau, const Vector& x) {
  Vector out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) out[i] += a(i, j) * x[j];
    out[i] += tau * x[i];
  }
  return out;
}

TEST(Cholesky, SolvesWhatWasMultiplied) {
  Random random(1);
  ThreadPool pool(2);
  for (const std::size_t n : {1, 2, 31, 32, 33, 64, 100}) {
    const Matrix<double> a = random_matrix(n, 0.5, random);
    SymmetricMatrix matrix = upper_triangle(a);
    // Again and again from the same matrix: the factor does not overwrite it.
    for (const double tau : {0.0, 2.0, 0.0}) {
      ASSERT_TRUE(matrix.factorise(tau, pool));
      Vector x(n);
      for (double& v : x) v = random.normal();
      Vector solved = product(a, tau, x);
      matrix.solve(solved);
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(solved[i], x[i], 1e-11) << n;
    }
  }
}

TEST(Cholesky, AMatrixThatIsNotPositiveDefiniteGetsTheSmallestShiftThatHelps) {
  Random random(2);
  ThreadPool pool(1);
  const Matrix<double> a = random_matrix(20, -1, random);  // eigenvalues from about -1
  SymmetricMatrix matrix = upper_triangle(a);
  EXPECT_FALSE(matrix.factorise(0, pool));
  const double tau = matrix.factorise_modified(pool);
  // All that is added is of the size of the eigenvalue that it makes up for, or of ten times that:
  // the shifts that are tried go by tens.
  double largest = 0, smallest = INFINITY;
  for (std::size_t i = 0; i < 20; ++i) {
    largest = std::max(largest, std::abs(a(i, i)));
    smallest = std::min(smallest, std::abs(a(i, i)));
  }
  EXPECT_GT(tau * largest, 0.5);
  EXPECT_LT(tau * smallest, 12.5);
  Vector x(20, 1.0), solved = product(a, 0, x);
  for (std::size_t i = 0; i < 20; ++i) solved[i] += tau * std::abs(a(i, i));
  matrix.solve(solved);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(solved[i], 1, 1e-8);
  Matrix<double> less = a;
  for (std::size_t i = 0; i < 20; ++i) less(i, i) += tau / 10 * std::abs(a(i, i));
  EXPECT_FALSE(upper_triangle(less).factorise(0, pool));
}

// Two unknowns that may move together, at scales as different as those of raw columns.
TEST(Cholesky, ASingularMatrixIsHardlyShiftedWhateverItsScales) {
  ThreadPool pool(1);
  Matrix<double> a(3, 3, 0.0);
  a(0, 0) = a(1, 1) = 1;
  a(0, 1) = a(1, 0) = -1;
  a(2, 2) = 1e12;
  SymmetricMatrix matrix = upper_triangle(a);
  EXPECT_LE(matrix.factorise_modified(pool), 1e-9);
  Vector solved = {2, -2, 1e12};
  matrix.solve(solved);
  EXPECT_NEAR(solved[0] - solved[1], 2, 1e-8);
  EXPECT_NEAR(solved[2], 1, 1e-8);
}

TEST(Cholesky, SomeShiftIsFoundForTheZeroMatrixAndNoneForNan) {
  ThreadPool pool(1);
  EXPECT_EQ(upper_triangle(Matrix<double>(3, 3)).factorise_modified(pool), 1e-10);  // the first
  EXPECT_TRUE(
      std::isinf(upper_triangle(Matrix<double>(3, 3, std::nan(""))).factorise_modified(pool)));
}

}  // namespace
}  // namespace croft::cholesky_test

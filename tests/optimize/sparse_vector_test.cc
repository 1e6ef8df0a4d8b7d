// Sums of terms in any order, against a plain vector.
#include "croft/optimize/sparse_vector.h"

#include <gtest/gtest.h>

#include <vector>

#include "croft/core/random.h"

namespace croft::sparse_vector_test {
namespace {

TEST(SparseVectors, HoldEachCoordinateOnceHoweverOftenTheyAreFilled) {
  constexpr std::size_t kDimension = 50;
  Random random(1);
  SparseVector sparse(kDimension);
  for (int round = 0; round < 100; ++round) {
    std::vector<double> plain(kDimension);
    sparse.clear();
    const std::size_t terms = random.below(30);
    for (std::size_t n = 0; n < terms; ++n) {
      const std::size_t k = random.below(kDimension);
      const double value = 1.0 + static_cast<double>(random.below(5));  // sums are exact
      sparse.add(k, value);
      plain[k] += value;
    }
    double squared = 0;
    for (const double p : plain) squared += p * p;
    EXPECT_EQ(sparse.squared_norm(), squared);
    std::vector<double> factor(kDimension, 1.0);
    factor[7] = 3;
    sparse.scale(factor);
    plain[7] *= 3;
    std::size_t others = 0;
    for (const double p : plain) others += p != 0;
    EXPECT_EQ(sparse.entries().size(), others);
    for (const auto& [k, value] : sparse.entries()) EXPECT_EQ(value, plain[k]);
  }
}

TEST(SparseVectors, KeepACoordinateWhoseTermsCancel) {
  SparseVector sparse(3);
  sparse.add(2, 1.5);
  sparse.add(2, -1.5);
  ASSERT_EQ(sparse.entries().size(), 1u);
  EXPECT_EQ(sparse.entries()[0].coordinate, 2u);
  EXPECT_EQ(sparse.entries()[0].value, 0);
}

}  // namespace
}  // namespace croft::sparse_vector_test

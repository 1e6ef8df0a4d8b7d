#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "croft/core/compensated_sum.h"
#include "croft/core/matrix.h"
#include "croft/core/random.h"

namespace croft::numbers_test {
namespace {

TEST(CompensatedSum, KeepsWhatLargeTermsWouldSwallow) {
  CompensatedSum sum;
  sum.add(1e16);
  for (int i = 0; i < 1000; ++i) sum.add(1.0);
  sum.add(-1e16);
  EXPECT_EQ(sum.value(), 1000.0);
}

TEST(CompensatedSum, MinusInfinityStays) {
  CompensatedSum sum(1.0);
  sum.add(-std::numeric_limits<double>::infinity());
  sum.add(5.0);
  EXPECT_EQ(sum.value(), -std::numeric_limits<double>::infinity());
}

TEST(Matrix, RowsAreAlignedAndPadded) {
  Matrix<float> m(3, 22, -1.0f);
  EXPECT_EQ(m.stride(), 24u);
  for (std::size_t r = 0; r < 3; ++r) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m.row(r)) % (kLanePadding * sizeof(float)), 0u);
    for (std::size_t c = 0; c < m.stride(); ++c) EXPECT_EQ(m.row(r)[c], -1.0f);
  }
}

TEST(Random, SameSeedSameNumbersAndMomentsAreRight) {
  Random a(7), b(7);
  double sum = 0, square = 0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double x = a.normal();
    ASSERT_EQ(x, b.normal());
    sum += x;
    square += x * x;
  }
  EXPECT_NEAR(sum / n, 0, 0.02);
  EXPECT_NEAR(square / n, 1, 0.03);
}

TEST(Random, BelowIsUniform) {
  Random random(1);
  std::vector<int> count(5);
  for (int i = 0; i < 50000; ++i) ++count[random.below(5)];
  for (int c : count) EXPECT_NEAR(c, 10000, 500);
}

}  // namespace
}  // namespace croft::numbers_test

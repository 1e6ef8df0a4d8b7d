#include "core/chi_squared.h"

#include <gtest/gtest.h>

#include <cmath>

namespace croft::chi_squared_test {
namespace {

TEST(ChiSquared, OneAndTwoDegreesHaveClosedForms) {
  for (const double x : {1e-8, 0.01, 0.5, 1., 2., 3.7, 10., 40., 300.}) {
    EXPECT_NEAR(chi_squared_tail(x, 2) / std::exp(-x / 2), 1, 1e-12) << x;
    EXPECT_NEAR(chi_squared_tail(x, 1) / std::erfc(std::sqrt(x / 2)), 1, 1e-12) << x;
  }
}

// Q(a + 1, x) = Q(a, x) + x^a e^-x / gamma(a + 1)
TEST(ChiSquared, TwoMoreDegreesAddATerm) {
  for (double freedom = 0.5; freedom < 2000; freedom *= 1.7) {
    for (const double share : {0.1, 0.6, 0.99, 1.01, 1.5, 4.}) {
      const double x = freedom * share, a = freedom / 2;
      const double term = std::exp(a * std::log(x / 2) - x / 2 - std::lgamma(a + 1));
      EXPECT_NEAR(chi_squared_tail(x, freedom + 2), chi_squared_tail(x, freedom) + term, 1e-11);
    }
  }
}

TEST(ChiSquared, NothingIsSurelyExceeded) {
  EXPECT_EQ(chi_squared_tail(0, 3), 1);
  EXPECT_EQ(chi_squared_tail(-1e-12, 3), 1);
  EXPECT_GE(chi_squared_tail(1e4, 1), 0);
}

}  // namespace
}  // namespace croft::chi_squared_test

#include "croft/optimize/regulariser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "croft/core/error.h"

namespace croft {
namespace {

TEST(Regulariser, PenaltyAndItsSmoothGradient) {
  const Regulariser r{.l1 = 2, .l2 = 3};
  const std::vector<double> w = {1, -2, 0};
  EXPECT_EQ(penalty(r, 3, 5), 2 * 3 + 1.5 * 5);
  std::vector<double> g = {10, 10, 10};
  add_l2_gradient(r, w, g);
  EXPECT_EQ(g, (std::vector<double>{13, 4, 10}));
}

TEST(Regulariser, PseudoGradientIsTheSteeperOneSidedDerivativeDownhill) {
  // F(w) = g w + l1 |w| along one weight: its one-sided derivatives by differences.
  const double l1 = 1, h = 0x1p-10;
  for (const double w : {-1.0, 0.0, 1.0}) {
    for (const double g : {-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0}) {
      const auto f = [&](double x) { return g * x + l1 * std::abs(x); };
      const double right = (f(w + h) - f(w)) / h, left = (f(w) - f(w - h)) / h;
      const double expected = right < 0 ? right : left > 0 ? left : 0;
      EXPECT_EQ(pseudo_gradient(w, g, l1), expected) << w << ' ' << g;
    }
  }
}

TEST(Regulariser, PseudoGradientOfAVectorIsThatOfItsElements) {
  const std::vector<double> w = {0, 2, -2}, g = {-3, 1, 1};
  std::vector<double> out(3);
  pseudo_gradient(w, g, 0.5, out);
  EXPECT_EQ(out, (std::vector<double>{-2.5, 1.5, 0.5}));
}

TEST(Regulariser, NegativeOrInfiniteWeightsAreNamed) {
  const auto message = [](Regulariser r) -> std::string {
    try {
      r.validate();
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({.l1 = 0, .l2 = 1}), "");
  EXPECT_EQ(message({.l1 = -1}), "l1 is -1; it must be a finite number >= 0");
  EXPECT_EQ(message({.l2 = std::numeric_limits<double>::infinity()}),
            "l2 is inf; it must be a finite number >= 0");
  EXPECT_NE(message({.l2 = std::nan("")}), "");
}

}  // namespace
}  // namespace croft

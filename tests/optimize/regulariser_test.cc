#include "croft/optimize/regulariser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "croft/core/error.h"

namespace croft::regulariser_test {
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
  pseudo_gradient({.l1 = 0.5}, 0, w, g, out);
  EXPECT_EQ(out, (std::vector<double>{-2.5, 1.5, 0.5}));
}

// Pieces of w that begin before, in and after the free range, and all around it.
TEST(Regulariser, FreeWeightsAreInNeitherNormAndInNoGradient) {
  const std::vector<double> w = {1, -2, 3, -4, 5, -6}, g = {9, -9, 9, -9, 0.1, 9};
  for (std::size_t first = 0; first < w.size(); ++first) {
    for (std::uint32_t length = 0; first + length <= w.size(); ++length) {
      const Regulariser r{.l1 = 2, .l2 = 3, .free = {first, length}};
      for (std::size_t begin = 0; begin < w.size(); ++begin) {
        const std::size_t size = std::min<std::size_t>(4, w.size() - begin);
        const auto piece = std::span(w).subspan(begin, size);
        const auto slope = std::span(g).subspan(begin, size);
        double absolute = 0, squared = 0, free = 0;
        std::vector<double> smooth(slope.begin(), slope.end()), pseudo(size), expected = smooth,
                                                                              expected_pseudo(size);
        for (std::size_t i = 0; i < size; ++i) {
          const bool is_free = begin + i >= first && begin + i < first + length;
          EXPECT_EQ(r.is_free(begin + i), is_free);
          EXPECT_EQ(r.l2_of(begin + i), is_free ? 0 : 3);
          absolute += is_free ? 0 : std::abs(piece[i]);
          (is_free ? free : squared) += piece[i] * piece[i];
          expected[i] += is_free ? 0 : 3 * piece[i];
          expected_pseudo[i] = is_free ? slope[i] : pseudo_gradient(piece[i], slope[i], 2);
        }
        EXPECT_EQ(penalised_absolute(r, begin, piece), absolute);
        EXPECT_EQ(penalised_square(r, begin, piece), squared);
        EXPECT_EQ(free_square(r, begin, piece), free);
        add_l2_gradient(r, begin, piece, smooth);
        EXPECT_EQ(smooth, expected);
        pseudo_gradient(r, begin, piece, slope, pseudo);
        EXPECT_EQ(pseudo, expected_pseudo);
      }
    }
  }
}

TEST(Regulariser, AMethodThatPenalisesAllWeightsSaysWhichDoNot) {
  EXPECT_NO_THROW(check_none_free({.l2 = 1}, "SGD"));
  try {
    check_none_free({.l2 = 1, .free = {4, 2}}, "SGD");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("SGD penalises every weight"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("L-BFGS"), std::string::npos);
  }
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
}  // namespace croft::regulariser_test

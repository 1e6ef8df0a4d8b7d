// Within a box, against the conditions of Karush, Kuhn and Tucker.
#include "optimize/batch/box_descent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "croft/core/random.h"

namespace croft::box_descent_test {
namespace {

using Vector = std::vector<double>;

// x' A x / 2 - b.x with A = sum of squares of random rows, badly scaled.
class Quadratic final : public BatchFunction {
 public:
  Quadratic(std::size_t size, Random& random) : size_(size), rows_(3 * size * size), b_(size) {
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      rows_[k] = random.normal() * std::pow(10, static_cast<double>(k % size) / 8);
    }
    for (double& each : b_) each = 20 * random.normal();
  }
  std::size_t dimension() const override { return size_; }
  double evaluate(std::span<const double> x, std::span<double> gradient) override {
    double value = 0;
    for (std::size_t k = 0; k < size_; ++k) {
      value -= b_[k] * x[k];
      gradient[k] = -b_[k];
    }
    for (std::size_t r = 0; r < 3 * size_; ++r) {
      double product = 0;
      for (std::size_t k = 0; k < size_; ++k) product += rows_[r * size_ + k] * x[k];
      value += product * product / 2;
      for (std::size_t k = 0; k < size_; ++k) gradient[k] += product * rows_[r * size_ + k];
    }
    last = Vector(x.begin(), x.end());
    return value;
  }
  Vector last;  // where it was evaluated

 private:
  std::size_t size_;
  Vector rows_, b_;
};

TEST(BoxDescent, EndsWhereTheGradientPointsOutOfTheBox) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    Quadratic f(8, random);
    Vector x(8, 5.0), gradient(8);
    const BoxDescentResult found =
        descend_in_box(f, x, {.lower = 0, .upper = 0.5, .tolerance = 1e-9});
    EXPECT_TRUE(found.converged) << found.residual << " after " << found.evaluations;
    EXPECT_EQ(f.last, x);
    EXPECT_EQ(f.evaluate(x, gradient), found.value);
    for (std::size_t k = 0; k < x.size(); ++k) {
      EXPECT_GE(x[k], 0);
      EXPECT_LE(x[k], 0.5);
      // Else a step into the box would go down.
      EXPECT_TRUE(x[k] == 0 || gradient[k] <= 1e-6) << gradient[k];
      EXPECT_TRUE(x[k] == 0.5 || gradient[k] >= -1e-6) << gradient[k];
    }
  }
}

TEST(BoxDescent, SaysWhenItHasNotArrived) {
  Random random(1);
  Quadratic f(8, random);
  Vector x(8);
  const BoxDescentResult found =
      descend_in_box(f, x, {.lower = -10, .upper = 10, .tolerance = 0, .max_evaluations = 5});
  EXPECT_FALSE(found.converged);
  EXPECT_GE(found.evaluations, 5u);
  EXPECT_GT(found.residual, 0);
}

}  // namespace
}  // namespace croft::box_descent_test

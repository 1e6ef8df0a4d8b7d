// One step of dual ascent: the conditions of its optimum, and that nothing near it is higher.
#include "train/functions/softmax_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/core/random.h"

namespace croft::softmax_step_test {
namespace {

struct Problem {
  std::size_t labels;
  Matrix<double> s, c, old;
};

// Scores from far apart to close, curvatures from 1e-12 to 1e9, old ones near a corner or not.
Problem problem_number(std::uint64_t seed) {
  Random random(seed);
  const std::size_t labels = 1 + seed % 37;
  Problem problem{labels, Matrix<double>(1, labels, -std::numeric_limits<double>::infinity()),
                  Matrix<double>(1, labels, 1), Matrix<double>(1, labels, 0)};
  const double spread = std::pow(10.0, 4 * random.uniform() - 1);
  const double curvature = std::pow(10.0, 21 * random.uniform() - 12);
  double sum = 0;
  for (std::size_t y = 0; y < labels; ++y) {
    problem.s(0, y) = spread * random.normal();
    problem.c(0, y) = seed % 3 == 0 ? curvature * (0.5 + random.uniform()) : curvature;
    sum += problem.old(0, y) = std::exp((seed % 4 == 0 ? 30 : 1) * random.normal());
  }
  for (std::size_t y = 0; y < labels; ++y) problem.old(0, y) /= sum;
  if (seed % 5 == 0) {
    for (std::size_t y = 0; y < labels; ++y) problem.old(0, y) = y == 0 ? 1 : 0;
  }
  return problem;
}

double height(const Problem& p, const Matrix<double>& mu) {
  double sum = 0;
  for (std::size_t y = 0; y < p.labels; ++y) {
    const double m = mu(0, y), move = m - p.old(0, y);
    sum += (m > 0 ? -m * std::log(m) : 0) + p.s(0, y) * m - 0.5 * p.c(0, y) * move * move;
  }
  return sum;
}

TEST(SoftmaxStep, DerivativesAreTheSameForAllLabels) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Problem p = problem_number(seed);
    Matrix<double> mu = p.old;
    softmax_step(p.s.row(0), p.c.row(0), mu.row(0), mu.stride());
    EXPECT_NEAR(std::accumulate(mu.row(0), mu.row(0) + p.labels, 0.0), 1, 1e-12);
    for (std::size_t y = p.labels; y < mu.stride(); ++y) EXPECT_EQ(mu.row(0)[y], 0);
    double low = std::numeric_limits<double>::infinity(), high = -low, size = 1;
    for (std::size_t y = 0; y < p.labels; ++y) {
      const double m = mu(0, y);
      ASSERT_GE(m, 0);
      if (m < 1e-280) continue;
      const double d = p.s(0, y) - std::log(m) - p.c(0, y) * (m - p.old(0, y));
      low = std::min(low, d);
      high = std::max(high, d);
      // Of the sum that ends within 1e-6 of 1, and of rounding.
      size = std::max({size, 1 + p.c(0, y) * m, std::abs(p.s(0, y))});
    }
    EXPECT_LE(high - low, 3e-6 * size) << seed;
  }
}

TEST(SoftmaxStep, NeverGoesDown) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Problem p = problem_number(seed);
    Matrix<double> mu = p.old;
    softmax_step(p.s.row(0), p.c.row(0), mu.row(0), mu.stride());
    const double before = height(p, p.old);
    EXPECT_GE(height(p, mu), before - 1e-9 * (1 + std::abs(before))) << seed;
  }
}

TEST(SoftmaxStep, WithoutCurvatureItIsTheSoftmax) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Problem p = problem_number(seed);
    Matrix<double> mu = p.old;
    double sum = 0;
    for (std::size_t y = 0; y < p.labels; ++y) {
      p.s(0, y) = std::fmod(p.s(0, y), 20);
      p.c(0, y) = 1e-12;
      sum += std::exp(p.s(0, y));
    }
    softmax_step(p.s.row(0), p.c.row(0), mu.row(0), mu.stride());
    for (std::size_t y = 0; y < p.labels; ++y) {
      EXPECT_NEAR(mu(0, y), std::exp(p.s(0, y)) / sum, 1e-11) << seed;
    }
  }
}

TEST(SoftmaxStep, GapIsTheDivergenceFromTheSoftmax) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Problem p = problem_number(seed);
    double high = -std::numeric_limits<double>::infinity(), sum = 0, expected = 0, entropy = 0;
    for (std::size_t y = 0; y < p.labels; ++y) high = std::max(high, p.s(0, y));
    for (std::size_t y = 0; y < p.labels; ++y) sum += std::exp(p.s(0, y) - high);
    for (std::size_t y = 0; y < p.labels; ++y) {
      const double m = p.old(0, y);
      if (!(m > 0)) continue;
      expected += m * (std::log(m) - (p.s(0, y) - high - std::log(sum)));
      entropy -= m * std::log(m);
    }
    const double bound = 1e-11 * (1 + std::abs(high) + expected);
    EXPECT_NEAR(softmax_gap(p.s.row(0), p.old.row(0), p.old.stride()), expected, bound);
    EXPECT_NEAR(entropy_of(p.old.row(0), p.old.stride()), entropy, 1e-12);
    Matrix<double> mu = p.old;
    EXPECT_NEAR(softmax_step(p.s.row(0), p.c.row(0), mu.row(0), mu.stride()), expected, bound);
  }
}

}  // namespace
}  // namespace croft::softmax_step_test

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "bugs/distributions.h"
#include "bugs/distributions/dense.h"

namespace croft::bugs::array_distributions_test {
namespace {

using Id = DistributionId;
using Vector = std::vector<double>;

double density(Id id, const Vector& x, const std::vector<Vector>& p, Part part = Part::whole) {
  const std::vector<Numbers> views(p.begin(), p.end());
  return log_density(id, x, views, part);
}

const Vector kPrecision = {2, 0.6, -0.3, 0.6, 1.5, 0.2, -0.3, 0.2, 0.9};
const Vector kMean = {1, -2, 0.5};

Vector inverse_of(const Vector& matrix, std::size_t n) {
  Vector factor(n * n), inverse(n * n);
  EXPECT_TRUE(dense_cholesky(n, matrix, factor));
  invert_factor(n, factor, inverse);
  return inverse;
}

TEST(ArrayDistributions, MultivariateNormalIsAProductOfConditionals) {
  // p(x1, x2) of the precision ((a, b), (b, c)): x2 | x1 is normal with precision c, and x1 with
  // a - b^2 / c.
  const double a = 2, b = 0.6, c = 1.5;
  const Vector mu = {1, -2}, x = {0.3, -1.1};
  const double conditional_mean = mu[1] - b / c * (x[0] - mu[0]);
  const double expected = density(Id::normal, {x[0]}, {{mu[0]}, {a - b * b / c}}) +
                          density(Id::normal, {x[1]}, {{conditional_mean}, {c}});
  EXPECT_NEAR(density(Id::multivariate_normal, x, {mu, {a, b, b, c}}), expected, 1e-12);
  const Vector covariance = inverse_of({a, b, b, c}, 2);
  EXPECT_NEAR(density(Id::multivariate_normal_covariance, x, {mu, covariance}), expected, 1e-12);
}

TEST(ArrayDistributions, OfOneElementAreTheScalarOnes) {
  EXPECT_NEAR(density(Id::multivariate_normal, {0.7}, {{1}, {3}}),
              density(Id::normal, {0.7}, {{1}, {3}}), 1e-13);
  EXPECT_NEAR(density(Id::multivariate_student, {0.7}, {{1}, {3}, {4}}),
              density(Id::student, {0.7}, {{1}, {3}, {4}}), 1e-13);
  // dwish(R, k) of one row is dgamma(k / 2, R / 2)
  EXPECT_NEAR(density(Id::wishart, {0.7}, {{3}, {5}}), density(Id::gamma, {0.7}, {{2.5}, {1.5}}),
              1e-13);
  EXPECT_NEAR(density(Id::dirichlet, {0.3, 0.7}, {{2, 5}}), density(Id::beta, {0.3}, {{2}, {5}}),
              1e-13);
  EXPECT_NEAR(density(Id::multinomial, {3, 4}, {{0.2, 0.3}, {7}}),
              density(Id::binomial, {3}, {{0.4}, {7}}), 1e-13);
}

TEST(ArrayDistributions, WishartOfTwoRowsIsItsBartlettProduct) {
  // X = A A' with R = I: a11^2 ~ chi2(k), a21 ~ N(0, 1), a22^2 ~ chi2(k - 1).  The Jacobian of
  // (a11, a21, a22) -> (x11, x21, x22) is 4 a11^2 a22.
  const double k = 5, a11 = 1.3, a21 = -0.4, a22 = 0.8;
  const Vector x = {a11 * a11, a11 * a21, a11 * a21, a21 * a21 + a22 * a22};
  const double expected = density(Id::chi_squared, {a11 * a11}, {{k}}) + std::log(2 * a11) +
                          density(Id::normal, {a21}, {{0}, {1}}) +
                          density(Id::chi_squared, {a22 * a22}, {{k - 1}}) + std::log(2 * a22) -
                          std::log(4 * a11 * a11 * a22);
  EXPECT_NEAR(density(Id::wishart, x, {{1, 0, 0, 1}, {k}}), expected, 1e-12);
}

TEST(ArrayDistributions, MultinomialMassesAddUpToOne) {
  double sum = 0;
  for (double a = 0; a <= 6; ++a)
    for (double b = 0; a + b <= 6; ++b)
      sum += std::exp(density(Id::multinomial, {a, b, 6 - a - b}, {{0.5, 1, 0.25}, {6}}));
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(ArrayDistributions, PartsDifferFromTheWholeByWhatDoesNotMatter) {
  struct Two {
    Id id;
    Vector x, y;
    std::vector<Vector> p, q;
  };
  const Vector wide = {3, 0.2, 0, 0.2, 2, 0.1, 0, 0.1, 1};
  for (const Two& t :
       {Two{Id::multivariate_normal, {0, 1, 2}, {1, 1, 0}, {kMean, kPrecision}, {{0, 0, 0}, wide}},
        Two{Id::multivariate_normal_covariance,
            {0, 1, 2},
            {1, 1, 0},
            {kMean, kPrecision},
            {{0, 0, 0}, wide}},
        Two{Id::multivariate_student,
            {0, 1, 2},
            {1, 1, 0},
            {kMean, kPrecision, {3}},
            {{0, 0, 0}, wide, {3}}},
        Two{Id::wishart, kPrecision, wide, {wide, {4}}, {kPrecision, {6}}},
        Two{Id::dirichlet, {0.2, 0.3, 0.5}, {0.1, 0.1, 0.8}, {{1, 2, 3}}, {{2, 0.5, 1}}},
        Two{Id::multinomial, {1, 2, 3}, {0, 4, 2}, {{1, 2, 3}, {6}}, {{2, 0.5, 1}, {6}}}}) {
    SCOPED_TRACE(distribution(t.id).name);
    EXPECT_NEAR(density(t.id, t.x, t.p) - density(t.id, t.x, t.p, Part::of_value),
                density(t.id, t.y, t.p) - density(t.id, t.y, t.p, Part::of_value), 1e-10);
    EXPECT_NEAR(density(t.id, t.x, t.p) - density(t.id, t.x, t.p, Part::of_parameters),
                density(t.id, t.x, t.q) - density(t.id, t.x, t.q, Part::of_parameters), 1e-10);
  }
}

// Means and covariances of draws; a draw has n elements.
struct Moments {
  Vector mean, covariance;
};

Moments moments(Id id, const std::vector<Vector>& p, std::size_t n, int draws, Random& random) {
  const std::vector<Numbers> views(p.begin(), p.end());
  Moments m{Vector(n), Vector(n * n)};
  Vector x(n);
  for (int d = 0; d < draws; ++d) {
    draw(id, views, random, x);
    EXPECT_TRUE(std::isfinite(log_density(id, x, views)));
    for (std::size_t i = 0; i < n; ++i) {
      m.mean[i] += x[i] / draws;
      for (std::size_t j = 0; j < n; ++j) m.covariance[i + j * n] += x[i] * x[j] / draws;
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) m.covariance[i + j * n] -= m.mean[i] * m.mean[j];
  return m;
}

TEST(ArrayDistributions, DrawsHaveTheirMeansAndCovariances) {
  Random random(21);
  constexpr int kDraws = 20000;
  const Vector covariance = inverse_of(kPrecision, 3);
  for (const auto& [id, matrix] : {std::pair{Id::multivariate_normal, kPrecision},
                                   std::pair{Id::multivariate_normal_covariance, covariance}}) {
    const Moments m = moments(id, {kMean, matrix}, 3, kDraws, random);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(m.mean[i], kMean[i], 0.04);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(m.covariance[i], covariance[i], 0.06);
  }
  {  // covariance k / (k - 2) of the scale
    const Moments m =
        moments(Id::multivariate_student, {kMean, kPrecision, {9}}, 3, kDraws, random);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(m.covariance[i], covariance[i] * 9 / 7, 0.09);
  }
  {  // mean k R^-1, variance k (v_ij^2 + v_ii v_jj)
    const double k = 6;
    const Moments m = moments(Id::wishart, {kPrecision, {k}}, 9, kDraws, random);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        const std::size_t at = i + 3 * j;
        const double variance =
            k * (covariance[at] * covariance[at] + covariance[i + 3 * i] * covariance[j + 3 * j]);
        EXPECT_NEAR(m.mean[at], k * covariance[at], 4.5 * std::sqrt(variance / kDraws));
        EXPECT_NEAR(m.covariance[at + 9 * at] / variance, 1, 0.12);
      }
  }
  {  // Dirichlet of (0.3, 1, 2.7): sum 4
    const Moments m = moments(Id::dirichlet, {{0.3, 1, 2.7}}, 3, kDraws, random);
    const Vector a = {0.075, 0.25, 0.675};
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(m.mean[i], a[i], 0.01);
      EXPECT_NEAR(m.covariance[i + 3 * i], a[i] * (1 - a[i]) / 5, 0.003);
    }
  }
  {
    const Moments m = moments(Id::multinomial, {{1, 3, 6}, {20}}, 3, kDraws, random);
    const Vector p = {0.1, 0.3, 0.6};
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(m.mean[i], 20 * p[i], 0.08);
      EXPECT_NEAR(m.covariance[i + 3 * i], 20 * p[i] * (1 - p[i]), 0.2);
    }
  }
}

TEST(ArrayDistributions, TypicalValuesAreInside) {
  const std::vector<std::pair<Id, std::vector<Vector>>> cases = {
      {Id::multivariate_normal, {kMean, kPrecision}},
      {Id::multivariate_student, {kMean, kPrecision, {4}}},
      {Id::wishart, {kPrecision, {4}}},
      {Id::dirichlet, {{1, 2, 3}}},
      {Id::multinomial, {{1, 2, 3.5}, {10}}}};
  for (const auto& [id, p] : cases) {
    const std::vector<Numbers> views(p.begin(), p.end());
    std::vector<std::size_t> sizes;
    for (const Vector& array : p) sizes.push_back(array.size());
    Vector x(value_size(id, sizes));
    typical_value(id, views, x);
    EXPECT_TRUE(std::isfinite(log_density(id, x, views))) << distribution(id).name;
    EXPECT_EQ(parameter_fault(id, views), "");
  }
}

TEST(ArrayDistributions, IntervalSaysHowManyCutPointsAreBelow) {
  EXPECT_EQ(density(Id::interval, {0}, {{1}, {1, 2}}), 0);  // a value at a cut is below it
  EXPECT_EQ(density(Id::interval, {1}, {{1.5}, {1, 2}}), 0);
  EXPECT_EQ(density(Id::interval, {2}, {{2.5}, {1, 2}}), 0);
  EXPECT_LT(density(Id::interval, {1}, {{2.5}, {1, 2}}), -1e300);
}

}  // namespace
}  // namespace croft::bugs::array_distributions_test

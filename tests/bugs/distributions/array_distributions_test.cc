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
        Two{Id::scaled_wishart, kPrecision, wide, {{1, 2, 3}, {4}}, {{2, 0.5, 1}, {2}}},
        Two{Id::autoregression,
            {0, 1, -1},
            {2, -3, 1},
            {{2, 1, 3, 2}, {1, 1, 2, 2}, {1, 2, 1}, {0.3}},
            {{2, 1, 3, 2}, {1, 1, 2, 2}, {1, 2, 1}, {4}}},
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
      {Id::scaled_wishart, {{1, 2, 3}, {2}}},
      {Id::autoregression, {{2, 1}, {1, 1}, {1, 1, 0}, {2}}},
      {Id::sum, {{1, 2}, {3, 4}}},
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

TEST(ArrayDistributions, ScaledWishartIsAMixtureOfWisharts) {
  // Over b_i ~ dgamma(1/2, 1 / s_i^2), as b = u^2 on a grid where the density is smooth in u.
  const Vector x = {1.3, -0.4, -0.4, 0.6}, s = {0.8, 2};
  for (const double k : {1., 2., 5.5}) {
    double sum = 0;
    constexpr double kStep = 0.02;
    for (double u = 0.5 * kStep; u < 5; u += kStep) {
      for (double v = 0.5 * kStep; v < 5; v += kStep) {
        const double b = u * u, c = v * v;
        sum += std::exp(density(Id::wishart, x, {{2 * k * b, 0, 0, 2 * k * c}, {k + 1}}) +
                        density(Id::gamma, {b}, {{0.5}, {1 / (s[0] * s[0])}}) +
                        density(Id::gamma, {c}, {{0.5}, {1 / (s[1] * s[1])}})) *
               4 * u * v * kStep * kStep;
      }
    }
    EXPECT_NEAR(density(Id::scaled_wishart, x, {s, {k}}), std::log(sum), 1e-6);
  }
  EXPECT_NEAR(density(Id::scaled_wishart, {0.7}, {{3}, {5}}),
              density(Id::scaled_gamma, {0.7}, {{3}, {5}}), 1e-12);
}

TEST(ArrayDistributions, ScaledWishartHasStudentDeviationsAndEvenCorrelations) {
  Random random(5);
  const Vector s = {0.8, 2}, k = {2};  // of 2: correlations are uniform
  const std::vector<Numbers> views = {s, k};
  Vector x(4);
  double small = 0, low = 0;
  constexpr int kDraws = 20000;
  for (int d = 0; d < kDraws; ++d) {
    draw(Id::scaled_wishart, views, random, x);
    const double determinant = x[0] * x[3] - x[1] * x[2];
    small += std::sqrt(x[0] / determinant) < 2 ? 1. / kDraws : 0;  // of the second variance
    low += -x[1] / std::sqrt(x[0] * x[3]) < -0.5 ? 1. / kDraws : 0;
  }
  const double t = 1;  // P(|t_2| < 1) = t / sqrt(2 + t^2)
  EXPECT_NEAR(small, t / std::sqrt(2 + t * t), 0.015);
  EXPECT_NEAR(low, 0.25, 0.013);
}

TEST(ArrayDistributions, OrderedCategoriesShareTheLineAtTheirCutPoints) {
  for (const Id id : {Id::ordered_logit, Id::ordered_probit}) {
    const auto below = [&](double z) {
      return id == Id::ordered_logit ? 1 / (1 + std::exp(-z))
                                     : 0.5 * std::erfc(-z / std::numbers::sqrt2);
    };
    const Vector cuts = {-1.5, 0.2, 0.3, 4};
    double last = 0;
    for (std::size_t k = 1; k <= 5; ++k) {
      const double next = k == 5 ? 1 : below(cuts[k - 1] - 0.7);
      EXPECT_NEAR(std::exp(density(id, {static_cast<double>(k)}, {{0.7}, cuts})), next - last,
                  1e-12);
      last = next;
    }
    EXPECT_LT(density(id, {0}, {{0.7}, cuts}), -1e300);
    EXPECT_LT(density(id, {6}, {{0.7}, cuts}), -1e300);
    EXPECT_LT(density(id, {2}, {{0.7}, {1, 0}}), -1e300);
    // Far out it is the nearer tail, and mirrored it is the same.
    const double far = density(id, {2}, {{-60}, {1, 2}});
    EXPECT_TRUE(std::isfinite(far));
    EXPECT_NEAR(far / density(id, {2}, {{60}, {-2, -1}}), 1, 1e-12);
  }
  EXPECT_NEAR(density(Id::ordered_logit, {2}, {{-60}, {1, 2}}), -61 + std::log(1 - std::exp(-1)),
              1e-12);
}

TEST(ArrayDistributions, AreasAreDrawnAsTheirDensitySays) {
  // A triangle, a pair and one alone; the precision of differences in the triangle.
  const Vector adjacent = {2, 3, 1, 3, 1, 2, 5, 4}, weights = {1, 2, 1, 3, 2, 3, 4, 4},
               counts = {2, 2, 2, 1, 1, 0}, tau = {0.5};
  Random random(8);
  const Moments m = moments(Id::autoregression, {adjacent, weights, counts, tau}, 6, 20000, random);
  // exp(-tau/2 x'Qx), sum 0: on u = x1 - x3, v = x2 - x3 it is normal with the precision below.
  const double a = 0.5 * 3, b = -0.5, c = 0.5 * 4, det = a * c - b * b;
  const double uu = c / det, vv = a / det, uv = -b / det;
  const auto covariance = [&](std::size_t i, std::size_t j) { return m.covariance[i + 6 * j]; };
  const auto of_difference = [&](std::size_t i, std::size_t j) {
    return covariance(i, i) + covariance(j, j) - 2 * covariance(i, j);
  };
  EXPECT_NEAR(of_difference(0, 2) / uu, 1, 0.05);
  EXPECT_NEAR(of_difference(1, 2) / vv, 1, 0.05);
  EXPECT_NEAR(of_difference(0, 1) / (uu + vv - 2 * uv), 1, 0.05);
  EXPECT_NEAR(of_difference(3, 4) / (1 / (0.5 * 4)), 1, 0.05);
  EXPECT_NEAR(covariance(0, 0) + covariance(1, 1) + covariance(2, 2) +
                  2 * (covariance(0, 1) + covariance(0, 2) + covariance(1, 2)),
              0, 1e-12);
  EXPECT_EQ(covariance(5, 5), 0);
}

TEST(ArrayDistributions, AreasHaveToBeNeighboursOfEachOther) {
  const auto fault = [](Vector adjacent, Vector weights, Vector counts) {
    const Vector tau = {1};
    const std::vector<Numbers> views = {adjacent, weights, counts, tau};
    return parameter_fault(Id::autoregression, views);
  };
  EXPECT_EQ(fault({2, 1}, {1, 1}, {1, 1}), "");
  EXPECT_NE(fault({2, 1}, {1, 2}, {1, 1}).find("areas 1 and 2"), std::string::npos);
  EXPECT_NE(fault({2}, {1}, {1, 0}).find("areas 1 and 2"), std::string::npos);
  EXPECT_NE(fault({2, 3}, {1, 1}, {1, 1}).find("no area from 1 to 2"), std::string::npos);
  EXPECT_NE(fault({2, 1}, {1, 1}, {1, 2}).find("3 neighbours in all"), std::string::npos);
  EXPECT_NE(fault({1, 1}, {1, 1}, {1, 1}).find("its own neighbour"), std::string::npos);
}

TEST(ArrayDistributions, SumsHoldButForRounding) {
  EXPECT_EQ(density(Id::sum, {0.3, 5}, {{0.1, 2}, {0.2, 3}}), 0);
  EXPECT_LT(density(Id::sum, {0.3, 5.001}, {{0.1, 2}, {0.2, 3}}), -1e300);
  EXPECT_EQ(density(Id::rounded, {2.7}, {{2.651}, {1}}), 0);
  EXPECT_LT(density(Id::rounded, {2.7}, {{2.649}, {1}}), -1e300);
  EXPECT_EQ(density(Id::rounded, {1300}, {{1349}, {-2}}), 0);
}

TEST(ArrayDistributions, IntervalSaysHowManyCutPointsAreBelow) {
  EXPECT_EQ(density(Id::interval, {0}, {{1}, {1, 2}}), 0);  // a value at a cut is below it
  EXPECT_EQ(density(Id::interval, {1}, {{1.5}, {1, 2}}), 0);
  EXPECT_EQ(density(Id::interval, {2}, {{2.5}, {1, 2}}), 0);
  EXPECT_LT(density(Id::interval, {1}, {{2.5}, {1, 2}}), -1e300);
}

}  // namespace
}  // namespace croft::bugs::array_distributions_test

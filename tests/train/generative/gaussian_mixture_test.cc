#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "model/kinds/gaussian_mixture.h"
#include "train/generative/gaussian_mixture_fit.h"

namespace croft::gaussian_mixture_test {
namespace {

// Two well separated components in two dimensions, one of them tilted.
std::vector<double> two_clouds(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x;
  for (std::size_t i = 0; i < count; ++i) {
    const double a = random.normal(), b = random.normal();
    if (random.uniform() < 0.3) {
      x.insert(x.end(), {4 + a, 1 + 0.8 * a + 0.6 * b});
    } else {
      x.insert(x.end(), {-2 + 0.5 * a, -1 + 2 * b});
    }
  }
  return x;
}

GaussianMixtureFit fit(const std::vector<double>& x, std::size_t dimension,
                       const GaussianMixtureOptions& options, std::size_t threads = 1,
                       const std::function<void(std::size_t, double)>& iteration = {}) {
  ThreadPool pool(threads);
  const WeightedRows rows{x, dimension};
  return fit_gaussian_mixture(rows, variance_floor(rows, options.variance_floor), options, pool,
                              iteration);
}

double log_likelihood(const GaussianMixture& m, std::span<const double> x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); i += m.dimension()) {
    sum += m.log_density(x.subspan(i, m.dimension()));
  }
  return sum;
}

TEST(GaussianMixture, HasTheDensityOfItsFormula) {
  const GaussianMixture m(2, Covariance::full, {0.3, 0.7}, {0, 1, 2, -1},
                          {2, 0.5, 0.5, 1, 1, -0.3, -0.3, 0.5});
  const std::vector<double> x{0.7, 0.2};
  const auto normal = [&](double m0, double m1, double a, double b, double c) {
    const double det = a * c - b * b, u = x[0] - m0, v = x[1] - m1;
    const double squared = (c * u * u - 2 * b * u * v + a * v * v) / det;
    return std::exp(-squared / 2) / (2 * std::numbers::pi * std::sqrt(det));
  };
  const double p = 0.3 * normal(0, 1, 2, 0.5, 1) + 0.7 * normal(2, -1, 1, -0.3, 0.5);
  EXPECT_NEAR(m.log_density(x), std::log(p), 1e-12);
  const GaussianMixture d(2, Covariance::diagonal, {1}, {0, 1}, {2, 3});
  EXPECT_NEAR(d.log_density(x), std::log(normal(0, 1, 2, 0, 3)), 1e-12);
}

TEST(GaussianMixture, SumsToOneOverAllMeasurements) {
  for (const Covariance kind : {Covariance::diagonal, Covariance::full}) {
    const GaussianMixtureFit found =
        fit(two_clouds(200, 1), 2, {.components = 2, .covariance = kind});
    double mass = 0;
    constexpr double kStep = 0.1;
    for (double a = -15; a < 15; a += kStep) {
      for (double b = -15; b < 15; b += kStep) {
        mass += std::exp(found.mixture.log_density(std::vector{a, b})) * kStep * kStep;
      }
    }
    EXPECT_NEAR(mass, 1, 1e-4);
  }
}

TEST(GaussianMixture, OfOneComponentHasTheMeanAndTheCovarianceOfTheRows) {
  const std::vector<double> x{0, 0, 2, 2, 4, 1, 2, 5};
  const GaussianMixtureFit found = fit(x, 2, {});
  EXPECT_NEAR(found.mixture.mean()[0], 2, 1e-12);
  EXPECT_NEAR(found.mixture.mean()[1], 2, 1e-12);
  EXPECT_NEAR(found.mixture.covariance()[0], 2, 1e-12);    // (4 + 0 + 4 + 0) / 4
  EXPECT_NEAR(found.mixture.covariance()[1], 0.5, 1e-12);  // (4 + 0 - 2 + 0) / 4
  EXPECT_NEAR(found.mixture.covariance()[3], 3.5, 1e-12);  // (4 + 0 + 1 + 9) / 4
  EXPECT_NEAR(found.log_likelihood, log_likelihood(found.mixture, x), 1e-12);
}

TEST(GaussianMixture, NeverLosesLikelihoodByAnIterationOfEm) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<double> x = two_clouds(60, seed);
    std::size_t last_start = 100;
    double before = 0, most = -INFINITY;
    const GaussianMixtureFit found =
        fit(x, 2,
            {.components = 2 + seed % 3,
             .covariance = seed % 2 == 0 ? Covariance::full : Covariance::diagonal,
             .variance_floor = seed % 3 == 0 ? 0.2 : 1e-3,
             .tolerance = 0,
             .seed = seed},
            1, [&](std::size_t start, double value) {
              if (start == last_start) {
                EXPECT_GE(value, before - 1e-9 * std::abs(before)) << "seed " << seed;
              }
              last_start = start;
              before = value;
              most = std::max(most, value);
            });
    EXPECT_NEAR(found.log_likelihood, most, 1e-9 * std::abs(most));
    EXPECT_NEAR(found.log_likelihood, log_likelihood(found.mixture, x), 1e-8);
  }
}

TEST(GaussianMixture, IsAStationaryPointOfTheLikelihood) {
  const std::vector<double> x = two_clouds(300, 3);
  const GaussianMixture m =
      fit(x, 2, {.components = 2, .max_iterations = 5000, .tolerance = 0}).mixture;
  const auto with = [&](std::size_t which, std::size_t at, double step) {
    std::vector<double> mean(m.mean().begin(), m.mean().end());
    std::vector<double> s(m.covariance().begin(), m.covariance().end());
    (which == 0 ? mean : s)[at] += step;
    if (which == 1 && at % 4 == 1) s[at + 1] += step;  // stays symmetric
    return log_likelihood(
        GaussianMixture(2, Covariance::full, {m.weight().begin(), m.weight().end()}, mean, s), x);
  };
  constexpr double kStep = 1e-5;
  for (std::size_t at = 0; at < 4; ++at) {
    EXPECT_NEAR((with(0, at, kStep) - with(0, at, -kStep)) / (2 * kStep), 0, 1e-4);
  }
  for (const std::size_t at : {0, 1, 3, 4, 5, 7}) {
    EXPECT_NEAR((with(1, at, kStep) - with(1, at, -kStep)) / (2 * kStep), 0, 1e-4);
  }
}

TEST(GaussianMixture, RecoversTheComponentsThatDrewItsRows) {
  const GaussianMixture m = fit(two_clouds(20000, 4), 2, {.components = 2}).mixture;
  const std::size_t k = m.mean()[0] > 0 ? 0 : 1, other = 1 - k;
  EXPECT_NEAR(m.weight()[k], 0.3, 0.015);
  EXPECT_NEAR(m.mean()[2 * k], 4, 0.05);
  EXPECT_NEAR(m.mean()[2 * k + 1], 1, 0.05);
  EXPECT_NEAR(m.covariance()[4 * k + 1], 0.8, 0.07);
  EXPECT_NEAR(m.mean()[2 * other], -2, 0.03);
  EXPECT_NEAR(m.covariance()[4 * other + 3], 4, 0.2);
}

TEST(GaussianMixture, HasNoComponentThinnerThanTheFloor) {
  // Ten rows at one place and ten around another: without a floor the likelihood has no bound.
  std::vector<double> x(20, 1.0);
  const std::vector<double> cloud = two_clouds(10, 5);
  x.insert(x.end(), cloud.begin(), cloud.end());
  for (const Covariance kind : {Covariance::diagonal, Covariance::full}) {
    const GaussianMixtureOptions options{
        .components = 3, .covariance = kind, .variance_floor = 0.01};
    const GaussianMixture m = fit(x, 2, options).mixture;
    const double floor = variance_floor({x, 2}, 0.01);
    for (std::size_t k = 0; k < m.components(); ++k) {
      if (kind == Covariance::diagonal) {
        EXPECT_GE(m.covariance()[2 * k], floor);
        EXPECT_GE(m.covariance()[2 * k + 1], floor);
        continue;
      }
      const double a = m.covariance()[4 * k], b = m.covariance()[4 * k + 1];
      const double c = m.covariance()[4 * k + 3];
      EXPECT_GE((a + c) / 2 - std::hypot((a - c) / 2, b), floor * (1 - 1e-9));
    }
  }
}

TEST(GaussianMixture, CountsARowOfWeightTwoAsTwoRows) {
  const std::vector<double> x = two_clouds(50, 6);
  std::vector<double> twice = x, weight(50, 1.0);
  for (std::size_t i = 0; i < 10; ++i) {
    twice.insert(twice.end(), {x[2 * i], x[2 * i + 1]});
    weight[i] = 2;
  }
  ThreadPool pool(1);
  const auto a = fit_gaussian_mixture({x, 2, weight}, 0.01, {}, pool).mixture;
  const auto b = fit_gaussian_mixture({twice, 2}, 0.01, {}, pool).mixture;
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(a.covariance()[k], b.covariance()[k], 1e-12);
}

TEST(GaussianMixture, IsTheSameForAnyNumberOfThreads) {
  const std::vector<double> x = two_clouds(10000, 7);
  const GaussianMixtureOptions options{.components = 3, .max_iterations = 10};
  const GaussianMixture a = fit(x, 2, options).mixture, b = fit(x, 2, options, 3).mixture;
  EXPECT_TRUE(std::ranges::equal(a.mean(), b.mean()));
  EXPECT_TRUE(std::ranges::equal(a.covariance(), b.covariance()));
}

TEST(GaussianMixture, HasFewerComponentsWhereFewRowsAreDifferent) {
  const std::vector<double> x{0, 0, 1, 1, 1};
  const GaussianMixture m = fit(x, 1, {.components = 4}).mixture;
  EXPECT_EQ(m.components(), 2u);
}

TEST(LabelMixtures, TellLabelsByTheirMeasurements) {
  const std::vector<double> x{0, 0.2, -0.1, 5, 5.1, 4.8, 100};
  const std::vector<State> label{0, 0, 0, 1, 1, 1, kUnobserved};
  const std::vector<std::string> names{"low", "high"};
  ThreadPool pool(1);
  const LabelMixtures mixtures = fit_label_mixtures(x, 1, label, names, {}, pool);
  std::vector<double> scores(2);
  mixtures.scores(std::vector{0.5}, scores);
  EXPECT_GT(scores[0], scores[1]);
  mixtures.scores(std::vector{4.0}, scores);
  EXPECT_LT(scores[0], scores[1]);
  const LabelMixtures read = label_mixtures_of(parse_json(to_json(mixtures).dump()));
  for (std::size_t y = 0; y < 2; ++y) {
    EXPECT_EQ(read.of_label[y].log_density(std::vector{1.7}),
              mixtures.of_label[y].log_density(std::vector{1.7}));
  }
}

TEST(LabelMixtures, SayWhatIsWrong) {
  ThreadPool pool(1);
  const std::vector<std::string> names{"low", "high"};
  const std::vector<double> x{0, 1, 2}, equal{1, 1, 1}, infinite{0, 1, INFINITY};
  const std::vector<State> low{0, 0, 0}, both{0, 1, 0};
  const auto message = [&](const std::vector<double>& rows, const std::vector<State>& label) {
    try {
      fit_label_mixtures(rows, 1, label, names, {}, pool);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message(x, low).find("high"), std::string::npos);
  EXPECT_NE(message(equal, both).find("width"), std::string::npos);
  EXPECT_NE(message(infinite, both).find("finite"), std::string::npos);
  EXPECT_THROW(covariance_named("round"), UsageError);
  EXPECT_THROW(GaussianMixture(1, Covariance::full, {1}, {0}, {-1}), Error);
  EXPECT_THROW(GaussianMixture(2, Covariance::full, {1}, {0, 0}, {1, 2, 2, 1}), Error);
  EXPECT_THROW(GaussianMixture(1, Covariance::full, {1}, {0, 1}, {1}), Error);
  Json damaged = {{"covariance", "full"}, {"dimension", 1}};
  EXPECT_THROW(label_mixtures_of(damaged), Error);
}

}  // namespace
}  // namespace croft::gaussian_mixture_test

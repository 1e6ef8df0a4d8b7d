#include "train/calibration_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "croft/core/random.h"

namespace croft::calibration_fit_test {
namespace {

std::vector<CalibrationExample> random_examples(std::size_t n, double slope, double offset,
                                                Random& random) {
  std::vector<CalibrationExample> examples;
  for (std::size_t k = 0; k < n; ++k) {
    const double s = 8 * random.uniform() - 4;
    const double p = 1 / (1 + std::exp(-(slope * s + offset)));
    examples.push_back({s, random.uniform() < p, 0.5 + random.uniform()});
  }
  return examples;
}

// (CA.4), written out.
double cross_entropy(const std::vector<CalibrationExample>& examples, const Sigmoid& g) {
  double right = 0, wrong = 0, sum = 0;
  for (const CalibrationExample& e : examples) (e.right ? right : wrong) += e.weight;
  for (const CalibrationExample& e : examples) {
    const double p = 1 / (1 + std::exp(-(g.slope * e.log_odds + g.offset)));
    const double t = e.right ? (right + 1) / (right + 2) : 1 / (wrong + 2);
    sum -= e.weight * (t * std::log(p) + (1 - t) * std::log(1 - p));
  }
  return sum;
}

TEST(CalibrationFit, TheDerivativeIsZeroAtTheBestSigmoid) {
  Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const auto examples = random_examples(60, 3 * random.uniform() - 1, random.uniform(), random);
    const Sigmoid g = fit_sigmoid(examples);
    constexpr double kStep = 1e-5;
    const auto at = [&](double a, double b) {
      return cross_entropy(examples, {g.slope + a, g.offset + b});
    };
    EXPECT_NEAR((at(kStep, 0) - at(-kStep, 0)) / (2 * kStep), 0, 1e-5);
    EXPECT_NEAR((at(0, kStep) - at(0, -kStep)) / (2 * kStep), 0, 1e-5);
  }
}

TEST(CalibrationFit, FindsTheSigmoidThatMadeTheData) {
  Random random(2);
  const Sigmoid g = fit_sigmoid(random_examples(200'000, 0.7, -0.4, random));
  EXPECT_NEAR(g.slope, 0.7, 0.02);
  EXPECT_NEAR(g.offset, -0.4, 0.02);
}

TEST(CalibrationFit, SeparatedExamplesHaveAFiniteSigmoid) {
  const Sigmoid g = fit_sigmoid({{-2, false}, {-1, false}, {1, true}, {2, true}});
  EXPECT_TRUE(std::isfinite(g.slope) && std::isfinite(g.offset));
  EXPECT_GT(g.slope, 0);
  EXPECT_NEAR(g.offset, 0, 1e-9);
}

TEST(CalibrationFit, TheSizeOfScoresDoesNotMatterToTheSigmoid) {
  Random random(3);
  auto examples = random_examples(100, 1, 0.3, random);
  const Sigmoid g = fit_sigmoid(examples);
  for (CalibrationExample& e : examples) e.log_odds *= 1e6;
  const Sigmoid large = fit_sigmoid(examples);
  EXPECT_NEAR(large.slope * 1e6, g.slope, 1e-6);
  EXPECT_NEAR(large.offset, g.offset, 1e-6);
}

TEST(CalibrationFit, EqualScoresGiveTheShareThatIsRight) {
  const Sigmoid g = fit_sigmoid({{5, true}, {5, true}, {5, true}, {5, false}});
  const double t = (3 * (4.0 / 5) + 1.0 / 3) / 4;
  EXPECT_NEAR(1 / (1 + std::exp(-(5 * g.slope + g.offset))), t, 1e-6);
  const Sigmoid zero = fit_sigmoid({{0, true}, {0, false}});
  EXPECT_NEAR(zero.offset, 0, 1e-9);
}

TEST(CalibrationFit, AWeightOfTwoIsAnExampleTwiceWhereTargetsAreTheSame) {
  Random random(4);
  auto once = random_examples(80, 1, 0, random);
  for (CalibrationExample& e : once) e.weight = 2;
  std::vector<CalibrationExample> twice;
  for (CalibrationExample e : once) {
    e.weight = 1;
    twice.push_back(e);
    twice.push_back(e);
  }
  EXPECT_NEAR(fit_sigmoid(once).slope, fit_sigmoid(twice).slope, 1e-9);
  EXPECT_EQ(fit_isotonic(once).value, fit_isotonic(twice).value);
}

TEST(CalibrationFit, PoolingIsTheNeverDecreasingFunctionOfLeastSquares) {
  // The max-min formula: fitted_k = max_{i <= k} min_{j >= k} mean(i..j).
  Random random(5);
  for (int trial = 0; trial < 50; ++trial) {
    const std::size_t n = 1 + trial % 12;
    std::vector<double> y, w;
    for (std::size_t k = 0; k < n; ++k) {
      y.push_back(std::floor(4 * random.uniform()) / 4);
      w.push_back(0.25 + random.uniform());
    }
    const std::vector<double> fitted = pool_adjacent_violators(y, w);
    ASSERT_EQ(fitted.size(), n);
    for (std::size_t k = 0; k < n; ++k) {
      double largest = -1;
      for (std::size_t i = 0; i <= k; ++i) {
        double smallest = 2, sum = 0, weight = 0;
        for (std::size_t j = i; j < n; ++j) {
          sum += w[j] * y[j];
          weight += w[j];
          if (j >= k) smallest = std::min(smallest, sum / weight);
        }
        largest = std::max(largest, smallest);
      }
      EXPECT_NEAR(fitted[k], largest, 1e-12);
    }
  }
}

TEST(CalibrationFit, ACurveNeverDecreasesAndKeepsAwayFromZeroAndOne) {
  Random random(6);
  const IsotonicCurve curve = fit_isotonic(random_examples(500, 2, 0, random));
  EXPECT_TRUE(std::ranges::is_sorted(curve.at));
  EXPECT_EQ(std::ranges::adjacent_find(curve.at), curve.at.end());
  EXPECT_TRUE(std::ranges::is_sorted(curve.value));
  EXPECT_GT(curve.value.front(), 0);
  EXPECT_LT(curve.value.back(), 1);
  const IsotonicCurve none = fit_isotonic({});
  EXPECT_EQ(none(3), 0.5);
}

TEST(CalibrationFit, EqualScoresAreOnePointOfACurve) {
  const IsotonicCurve curve =
      fit_isotonic({{1, true}, {0, false}, {1, false}, {0, false}, {2, true}});
  EXPECT_EQ(curve.at, (std::vector<double>{0, 1, 2}));
  EXPECT_NEAR(curve(0), 1.0 / 7, 1e-15);
  EXPECT_NEAR(curve(1), 0.5, 1e-15);
  EXPECT_NEAR(curve(2), 6.0 / 7, 1e-15);
}

TEST(CalibrationFit, TheTemperatureMinimisesAConvexFunctionOfItsInverse) {
  for (const double best : {0.02, 0.5, 1.0, 3.0, 400.0}) {
    const auto found = fit_temperature([&](double inverse) {
      return inverse / best + best / inverse;  // convex, least at `best`
    });
    ASSERT_TRUE(found);
    EXPECT_NEAR(*found * best, 1, 1e-6);
  }
}

TEST(CalibrationFit, WithoutAnOptimumThereIsNoTemperature) {
  EXPECT_FALSE(fit_temperature([](double inverse) { return std::exp(-inverse); }));
  EXPECT_FALSE(fit_temperature([](double inverse) { return inverse; }));
}

}  // namespace
}  // namespace croft::calibration_fit_test

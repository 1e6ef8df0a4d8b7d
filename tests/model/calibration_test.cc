#include "model/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft::calibration_test {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

std::vector<double> random_scores(std::size_t labels, double spread, Random& random) {
  std::vector<double> scores(labels);
  for (double& score : scores) score = spread * (2 * random.uniform() - 1);
  return scores;
}

std::vector<double> softmax(const std::vector<double>& scores) {
  double sum = 0;
  for (const double score : scores) sum += std::exp(score);
  std::vector<double> p;
  for (const double score : scores) p.push_back(std::exp(score) / sum);
  return p;
}

std::vector<double> calibrated(const Calibrator& c, std::vector<double> scores) {
  std::vector<double> scratch, q;
  c.apply(scores, scratch);
  for (const double score : scores) q.push_back(std::exp(score));
  return q;
}

Calibrator platt(std::vector<Sigmoid> sigmoids) {
  Calibrator c;
  c.method = CalibrationMethod::platt;
  c.sigmoids = std::move(sigmoids);
  return c;
}

Calibrator isotonic(std::vector<IsotonicCurve> curves) {
  Calibrator c;
  c.method = CalibrationMethod::isotonic;
  c.curves = std::move(curves);
  return c;
}

TEST(Calibration, LogOddsAreThoseOfTheSoftmax) {
  Random random(1);
  std::vector<double> odds;
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<double> scores = random_scores(2 + trial % 5, 6, random), p = softmax(scores);
    log_odds(scores, odds);
    for (std::size_t j = 0; j < p.size(); ++j) {
      EXPECT_NEAR(odds[j], std::log(p[j] / (1 - p[j])), 1e-10 * (1 + std::abs(odds[j])));
    }
  }
}

TEST(Calibration, LogOddsKeepTheirDigitsWhereProbabilitiesAreOneOrZero) {
  std::vector<double> odds;
  log_odds(std::vector<double>{0, 1000, -2000}, odds);
  EXPECT_DOUBLE_EQ(odds[0], -1000);
  EXPECT_DOUBLE_EQ(odds[1], 1000);
  EXPECT_DOUBLE_EQ(odds[2], -3000);
  log_odds(std::vector<double>{1e5, kMinusInfinity, 1e5}, odds);
  EXPECT_EQ(odds, (std::vector<double>{0, kMinusInfinity, 0}));
  log_odds(std::vector<double>{kMinusInfinity, 3}, odds);
  EXPECT_EQ(odds, (std::vector<double>{kMinusInfinity, -kMinusInfinity}));
}

TEST(Calibration, SigmoidsAreNormalisedOverTheLabels) {
  Random random(2);
  for (int trial = 0; trial < 50; ++trial) {
    const std::size_t labels = 3 + trial % 4;
    std::vector<Sigmoid> g;
    for (std::size_t j = 0; j < labels; ++j)
      g.push_back({random.uniform() * 3, random.uniform() - 0.5});
    const std::vector<double> scores = random_scores(labels, 5, random), p = softmax(scores);
    std::vector<double> expected;
    double sum = 0;
    for (std::size_t j = 0; j < labels; ++j) {
      const double z = g[j].slope * std::log(p[j] / (1 - p[j])) + g[j].offset;
      expected.push_back(1 / (1 + std::exp(-z)));
      sum += expected.back();
    }
    const std::vector<double> q = calibrated(platt(g), scores);
    for (std::size_t j = 0; j < labels; ++j) EXPECT_NEAR(q[j], expected[j] / sum, 1e-12);
  }
}

TEST(Calibration, TheIdentityLeavesTwoLabelsAsTheyAre) {
  const std::vector<double> scores{0.3, -1.4}, p = softmax(scores);
  const std::vector<double> q = calibrated(platt({{1, 0}}), scores);
  EXPECT_NEAR(q[0], p[0], 1e-15);
  EXPECT_NEAR(q[1], p[1], 1e-15);
}

TEST(Calibration, OneFunctionSaysBothOfTwoLabels) {
  const std::vector<double> q = calibrated(platt({{2, 1}}), {0.25, 1.0});
  EXPECT_NEAR(q[1], 1 / (1 + std::exp(-(2 * 0.75 + 1))), 1e-15);
  EXPECT_NEAR(q[0] + q[1], 1, 1e-15);
}

TEST(Calibration, ACurveIsLinearBetweenItsPointsAndConstantBeyond) {
  const IsotonicCurve curve{{-1, 0, 2}, {0.1, 0.1, 0.9}};
  EXPECT_EQ(curve(-5), 0.1);
  EXPECT_EQ(curve(-1), 0.1);
  EXPECT_EQ(curve(-0.5), 0.1);
  EXPECT_DOUBLE_EQ(curve(1), 0.5);
  EXPECT_EQ(curve(2), 0.9);
  EXPECT_EQ(curve(9), 0.9);
}

TEST(Calibration, TiesOfFlatCurvesAreDecidedAsTheModelDoes) {
  const IsotonicCurve flat{{0.0}, {0.3}};
  const std::vector<double> q = calibrated(isotonic({flat, flat, flat}), {0.1, 0.2, -3});
  EXPECT_GT(q[1], q[0]);
  EXPECT_GT(q[0], q[2]);
  EXPECT_NEAR(q[0], 1.0 / 3, 1e-5);
  EXPECT_NEAR(q[0] + q[1] + q[2], 1, 1e-14);
}

TEST(Calibration, NoProbabilityIsZeroButOfForbiddenLabels) {
  const IsotonicCurve zero{{0.0}, {0.0}}, one{{0.0}, {1.0}};
  const std::vector<double> q = calibrated(isotonic({zero, one, zero}), {-700, 1, kMinusInfinity});
  EXPECT_GE(q[0], 0);
  std::vector<double> scores{-700, 1, kMinusInfinity}, scratch;
  isotonic({zero, one, zero}).apply(scores, scratch);
  EXPECT_TRUE(std::isfinite(scores[0]));
  EXPECT_EQ(scores[2], kMinusInfinity);
  scores = {-700, 1};
  isotonic({one}).apply(scores, scratch);
  EXPECT_TRUE(std::isfinite(scores[0]));
}

TEST(Calibration, WhereOneLabelIsLeftItIsCertain) {
  std::vector<double> scores{kMinusInfinity, 7, kMinusInfinity}, scratch;
  platt({{1, 0}, {1, -5}, {1, 0}}).apply(scores, scratch);
  EXPECT_EQ(scores[1], 0);
  EXPECT_EQ(scores[0], kMinusInfinity);
  scores = {kMinusInfinity, kMinusInfinity};
  platt({{1, 0}}).apply(scores, scratch);
  EXPECT_EQ(scores[0], kMinusInfinity);
}

TEST(Calibration, ScaledTransitionsAreEachTimesTheFactorInBothForms) {
  Matrix<double> table(2, 2, 0.0);
  table(0, 1) = 3;
  table(1, 0) = kMinusInfinity;
  TransitionScores<double> dense;
  dense.assign(table);
  TransitionScores<double> sparse;
  const std::vector<Edge> edges{{0, 1}, {1, 0}};
  const std::vector<double> log{3, kMinusInfinity};
  sparse.assign(2, Background::forbidden, edges, std::span<const double>(log));
  for (const auto* transitions : {&dense, &sparse}) {
    const TransitionScores<double> half = scaled(*transitions, 0.5);
    EXPECT_EQ(half.sparse(), transitions->sparse());
    EXPECT_EQ(half.at(0, 1), 1.5);
    EXPECT_EQ(half.at(1, 0), kMinusInfinity);
    EXPECT_EQ(half.at(1, 1), transitions->at(1, 1));
  }
}

Container written(const Calibrator& c) {
  ContainerWriter out;
  write_calibration(c, {{"sequences", 7}}, out);
  return Container::from_bytes(out.bytes(), "small.croft");
}

Container with_section(const std::string& text) {
  ContainerWriter out;
  out.add("calibration", text, ContainerWriter::Kind::required);
  return Container::from_bytes(out.bytes(), "small.croft");
}

TEST(Calibration, IsReadBackAsItWasWritten) {
  Calibrator temperature;
  temperature.temperature = 1.0 / 3;
  EXPECT_EQ(read_calibration(written(temperature), 9, false)->temperature, 1.0 / 3);
  const auto sigmoids = read_calibration(written(platt({{0.1, -2}, {3, 4}, {5, 6}})), 3, true);
  EXPECT_EQ(sigmoids->sigmoids[1].offset, 4);
  const auto curves = read_calibration(written(isotonic({{{-1e-300, 0.1}, {0.25, 1}}})), 2, true);
  EXPECT_EQ(curves->curves[0].at, (std::vector<double>{-1e-300, 0.1}));
  EXPECT_EQ(calibration_record(written(temperature))["sequences"], 7);
  EXPECT_FALSE(read_calibration(Container::from_bytes(ContainerWriter().bytes(), "none"), 2, true));
}

TEST(Calibration, WhatDoesNotFitTheModelIsDamaged) {
  EXPECT_THROW(read_calibration(written(platt({{1, 0}})), 3, true), Error);
  EXPECT_THROW(read_calibration(written(platt({{1, 0}})), 2, false), Error);
  for (const char* text :
       {"", "{", "[]", "null", R"({"method":1})", R"({"method":"none"})",
        R"({"method":"temperature"})", R"({"method":"temperature","temperature":0})",
        R"({"method":"temperature","temperature":-1})",
        R"({"method":"temperature","temperature":1e-320})",
        R"({"method":"temperature","temperature":"1"})", R"({"method":"platt","functions":[]})",
        R"({"method":"platt","functions":[{"slope":null,"offset":0}]})",
        R"({"method":"isotonic","functions":[{"log_odds":[],"probability":[]}]})",
        R"({"method":"isotonic","functions":[{"log_odds":[0,0],"probability":[0,1]}]})",
        R"({"method":"isotonic","functions":[{"log_odds":[0,1],"probability":[1,0]}]})",
        R"({"method":"isotonic","functions":[{"log_odds":[0],"probability":[2]}]})",
        R"({"method":"isotonic","functions":[{"log_odds":[0,1],"probability":[0]}]})"}) {
    EXPECT_THROW(read_calibration(with_section(text), 2, true), Error) << text;
  }
}

TEST(Calibration, AMethodThatIsNoneIsSaid) {
  EXPECT_THROW(calibration_method("sigmoid"), UsageError);
  for (const char* name : {"temperature", "platt", "isotonic"}) {
    EXPECT_EQ(calibration_name(calibration_method(name)), name);
  }
}

}  // namespace
}  // namespace croft::calibration_test

// The scaled path against the log-domain reference where plain scaling goes wrong.
#include <gtest/gtest.h>

#include "croft/inference/brute_force.h"
#include "croft/inference/chain_sum.h"
#include "support/random_chain.h"

namespace croft::chain_extremes_test {
namespace {

using testing_support::GradientTables;
using testing_support::random_chain;

constexpr double kInf = std::numeric_limits<double>::infinity();

template <class Real>
void expect_equals_reference(const ChainScores<Real>& scores, double tolerance) {
  ForwardBackwardWorkspace<Real> work;
  LogDomainWorkspace reference_work;
  GradientTables<Real> tables(scores), reference(scores);
  const double log_z = marginals(scores, 1, work, tables.view());
  const double truth = log_domain_marginals(scores, 1, reference_work, reference.view());
  if (std::isinf(truth)) {
    EXPECT_EQ(log_z, truth);
    return;
  }
  EXPECT_NEAR(log_z, truth, tolerance * (1 + std::abs(truth)));
  for (std::size_t t = 0; t < scores.length(); ++t) {
    for (Label j = 0; j < scores.labels(); ++j) {
      ASSERT_NEAR(tables.state(t, j), reference.state(t, j), tolerance) << "t " << t;
    }
  }
  for (Label i = 0; i < scores.labels(); ++i) {
    for (Label j = 0; j < scores.labels(); ++j) {
      EXPECT_NEAR(tables.transition(i, j), reference.transition(i, j),
                  tolerance * static_cast<double>(scores.length()));
    }
  }
}

// Labels 0 and 1 may only follow themselves; each position favours the other by `gap` nats in turn.
template <class Real>
void diagonal_edges(std::size_t length, double gap, double off_diagonal) {
  Matrix<Real> log(2, 2, static_cast<Real>(off_diagonal));
  log(0, 0) = log(1, 1) = 0;
  TransitionScores<Real> tied;
  tied.assign(log);
  ChainScores<Real> scores;
  scores.reset(length, tied);
  for (std::size_t t = 0; t < length; ++t) {
    scores.state(t, t % 2 < 1 ? 0 : 1) = 0;
    scores.state(t, t % 2 < 1 ? 1 : 0) = static_cast<Real>(-gap);
  }
  expect_equals_reference(scores, std::is_same_v<Real, float> ? 1e-5 : 1e-11);
}

TEST(ChainExtremes, DiagonalOnlyEdgesWithAlternatingEvidence) {
  for (const std::size_t length : {2, 3, 4, 7, 30}) {
    for (const double gap : {50.0, 90.0, 200.0, 800.0, 1e5}) {
      for (const double off : {-kInf, -60.0, -200.0, -900.0, -1e5}) {
        diagonal_edges<float>(length, gap, off);
        diagonal_edges<double>(length, gap, off);
      }
    }
  }
}

TEST(ChainExtremes, ThreePositionsThatAPlainMaxShiftGetsWrong) {
  // Label 1 is 100 nats behind at first, and then the only one that may go on.
  Matrix<float> log(2, 2, 0);
  TransitionScores<float> tied;
  log(0, 0) = log(0, 1) = log(1, 0) = -std::numeric_limits<float>::infinity();
  tied.assign(log);
  ChainScores<float> scores;
  scores.reset(3, tied);
  scores.state(0, 0) = 100;
  scores.state(1, 0) = ChainScores<float>::kForbidden;
  ForwardBackwardWorkspace<float> work;
  EXPECT_NEAR(log_partition(scores, work), 0, 1e-12);  // only 1 1 1 is allowed, with score 0
  EXPECT_NE(work.path, ChainPath::scaled);
}

TEST(ChainExtremes, ForbiddingTheDominantPredecessorInTheNextState) {
  Random random(5);
  for (int repeat = 0; repeat < 50; ++repeat) {
    auto chain = random_chain<float>({20, 4, 100, 0.2, 0, false}, random);
    expect_equals_reference(chain.scores, 2e-5);
  }
}

TEST(ChainExtremes, AForbiddenOverlayAfterALostLabelIsNotCalledImpossible) {
  TransitionScores<float> tied(2);
  ChainScores<float> scores;
  scores.reset(2, tied);
  scores.state(0, 1) = -120;  // below float's smallest number
  float* rows = scores.add_overlay(1);
  rows[0] = rows[1] = ChainScores<float>::kForbidden;  // label 0 may not be left
  ForwardBackwardWorkspace<float> work;
  EXPECT_NEAR(log_partition(scores, work), -120 + std::log(2), 1e-5);
}

// Two labels at the ends of the spread that needs no check: evidence pushes both ways, so that what
// a left-to-right pass loses is what the right-to-left pass would have kept.
template <class Real>
void spread_from_both_sides(double off_diagonal, double middle, double ends, double truth) {
  Matrix<Real> log(2, 2, static_cast<Real>(off_diagonal));
  log(0, 0) = log(1, 1) = 0;
  TransitionScores<Real> tied;
  tied.assign(log);
  ChainScores<Real> scores;
  scores.reset(3, tied);
  scores.state(0, 1) = scores.state(2, 1) = static_cast<Real>(ends);
  scores.state(1, 0) = static_cast<Real>(middle);
  ForwardBackwardWorkspace<Real> work;
  EXPECT_NEAR(log_partition(scores, work), truth, 1e-4);
  expect_equals_reference(scores, 1e-5);
}

TEST(ChainExtremes, TheSpreadCountsFromBothSides) {
  spread_from_both_sides<float>(-50, -90, -200, -90);
  spread_from_both_sides<double>(-600, -1100, -2400, -1100);
  for (const double off : {-10.0, -29.0, -31.0, -45.0, -299.0, -301.0, -650.0}) {
    for (const double middle : {-50.0, -84.0, -86.0, -95.0, -699.0, -701.0, -1300.0}) {
      diagonal_edges<float>(9, -middle, off);
      diagonal_edges<double>(9, -middle, off);
    }
  }
}

TEST(ChainExtremes, RandomChainsOfAnyScaleEqualTheReference) {
  Random random(6);
  for (const double scale : {1e-3, 1.0, 30.0, 1e3, 1e5}) {
    for (int repeat = 0; repeat < 30; ++repeat) {
      const double forbidden = repeat % 3 * 0.2, overlay = repeat % 2 * 0.4;
      const std::size_t labels = 1 + random.below(30);
      const auto chain = random_chain<float>(
          {1 + random.below(12), labels, scale, forbidden, overlay, false}, random);
      expect_equals_reference(chain.scores, 2e-5);
      const auto wide = random_chain<double>({6, labels, scale, forbidden, overlay, false}, random);
      expect_equals_reference(wide.scores, 1e-10);
    }
  }
}

TEST(ChainExtremes, ScoresOfHundredThousandKeepFullRelativeAccuracy) {
  Random random(7);
  for (const double sign : {-1.0, 1.0}) {
    auto chain = random_chain<double>({6, 4, 1, 0, 0, false}, random);
    const double before = brute_force(chain.scores).log_partition;
    for (std::size_t t = 0; t < 6; ++t) {
      for (double& value : chain.scores.state[t]) value += sign * 1e5;
    }
    ForwardBackwardWorkspace<double> work;
    EXPECT_NEAR(log_partition(chain.scores, work), before + sign * 6e5, 1e-9);
  }
}

template <class Real>
void million_positions(double offset) {
  Random random(8);
  const std::size_t length = 1000000, labels = 3;
  auto chain = random_chain<Real>({length, labels, 2, 0, 0, false}, random);
  for (std::size_t t = 0; t < length; ++t) {
    for (Real& value : chain.scores.state[t]) value = static_cast<Real>(value + offset);
  }
  ForwardBackwardWorkspace<Real> work;
  LogDomainWorkspace reference;
  const double log_z = log_partition(chain.scores, work);
  EXPECT_EQ(work.path, ChainPath::scaled);
  const double truth = log_domain_partition(chain.scores, reference);
  EXPECT_NEAR(log_z, truth, (std::is_same_v<Real, float> ? 2e-7 : 1e-13) * std::abs(truth));
}

TEST(ChainExtremes, AMillionPositionsInFloat) { million_positions<float>(0); }
TEST(ChainExtremes, AMillionPositionsInDouble) { million_positions<double>(0); }
TEST(ChainExtremes, AMillionPositionsAroundHundredThousandInFloat) {
  million_positions<float>(1e5);
}
TEST(ChainExtremes, AMillionPositionsAroundHundredThousandInDouble) {
  million_positions<double>(-1e5);
}

TEST(ChainExtremes, AMillionPositionsUnderConstraintsStayOnTheFastPath) {
  // O may not be followed by I: the running check passes at every position.
  Matrix<float> log(3, 3, 0);
  log(0, 2) = ChainScores<float>::kForbidden;
  TransitionScores<float> tied;
  tied.assign(log);
  ChainScores<float> scores;
  scores.reset(1000000, tied);
  Random random(9);
  for (std::size_t t = 0; t < scores.length(); ++t) {
    for (float& value : scores.state[t]) value = static_cast<float>(3 * random.normal());
  }
  ForwardBackwardWorkspace<float> work;
  LogDomainWorkspace reference;
  const double log_z = log_partition(scores, work);
  EXPECT_EQ(work.path, ChainPath::scaled);
  EXPECT_NEAR(log_z, log_domain_partition(scores, reference), 2e-7 * std::abs(log_z));
}

}  // namespace
}  // namespace croft::chain_extremes_test

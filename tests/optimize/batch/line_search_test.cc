#include "optimize/batch/line_search.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

namespace croft::line_search_test {
namespace {

// Counts the calls and remembers the last: the contract is that it is the step returned.
struct Watched {
  LineFunction phi;
  std::size_t calls = 0;
  double last = -1;
  LinePoint operator()(double step) {
    ++calls;
    last = step;
    return phi(step);
  }
};

LineSearchResult search(Watched& watched, double first_step, const WolfeOptions& options = {}) {
  return strong_wolfe(std::ref(watched), watched.phi(0), first_step, options);
}

TEST(StrongWolfe, HoldsOnRandomWavyFunctions) {
  EXPECT_TRUE(rc::check([] {
    const auto real = [](int low, int high) {
      return *rc::gen::inRange(low * 1000, high * 1000) / 1000.0;
    };
    const double wave = real(0, 3), omega = real(0, 8), shift = real(0, 6);
    const double curve = std::pow(10.0, real(-3, 3)), scale = std::pow(10.0, real(-6, 6));
    const double fall = wave * omega + std::pow(10.0, real(-3, 3)), offset = real(-100, 100);
    Watched watched{[=](double t) {
      return LinePoint{
          t, scale * (offset - fall * t + curve * t * t / 2 + wave * std::cos(omega * t + shift)),
          scale * (-fall + curve * t - wave * omega * std::sin(omega * t + shift))};
    }};
    const LinePoint start = watched.phi(0);
    RC_PRE(start.slope < 0);
    const WolfeOptions options{
        .decrease = 1e-4, .curvature = *rc::gen::element(0.9, 0.1), .max_evaluations = 60};
    const LineSearchResult result = search(watched, std::pow(10.0, real(-4, 4)), options);
    RC_ASSERT(result.outcome == LineOutcome::wolfe);
    RC_ASSERT(result.point.step > 0);
    RC_ASSERT(result.point.step == watched.last);
    RC_ASSERT(result.evaluations == watched.calls);
    RC_ASSERT(result.point.value <=
              start.value + 1e-4 * result.point.step * start.slope + 1e-13 * std::abs(start.value));
    RC_ASSERT(std::abs(result.point.slope) <= options.curvature * std::abs(start.slope));
  }));
}

TEST(StrongWolfe, TheFirstStepIsTakenWhereItWillDo) {
  Watched watched{[](double t) { return LinePoint{t, (t - 1) * (t - 1), 2 * (t - 1)}; }};
  const LineSearchResult result = search(watched, 1);
  EXPECT_EQ(result.evaluations, 1u);
  EXPECT_EQ(result.point.step, 1);
}

TEST(StrongWolfe, ATinyFirstStepGrowsQuickly) {
  Watched watched{[](double t) { return LinePoint{t, (t - 1) * (t - 1), 2 * (t - 1)}; }};
  const LineSearchResult result = search(watched, 1e-6);
  EXPECT_EQ(result.outcome, LineOutcome::wolfe);
  EXPECT_LE(result.evaluations, 8u);
}

TEST(StrongWolfe, AStepWhereTheFunctionIsNotFiniteIsTooLong) {
  // -log(1 - t) - 3t: minimum at 2/3, NaN beyond 1.
  Watched watched{[](double t) { return LinePoint{t, -std::log(1 - t) - 3 * t, 1 / (1 - t) - 3}; }};
  const LineSearchResult result = search(watched, 1000, {.curvature = 0.1});
  EXPECT_EQ(result.outcome, LineOutcome::wolfe);
  EXPECT_NEAR(result.point.step, 2.0 / 3, 0.05);
}

TEST(StrongWolfe, AFiniteValueWithANanSlopeIsTooLongAsWell) {
  Watched watched{[](double t) {
    return LinePoint{t, t > 1 ? -1e6 : t * t - t, t > 1 ? std::nan("") : 2 * t - 1};
  }};
  const LineSearchResult result = search(watched, 5);
  EXPECT_EQ(result.outcome, LineOutcome::wolfe);
  EXPECT_LE(result.point.step, 1);
}

TEST(StrongWolfe, RoundingOfALargeValueDoesNotHideTheMinimum) {
  // The decrease, 1e-12, is below one unit in the last place of 1e6, and each value but the first
  // is one such unit too high: only the slopes show the way.
  Watched watched{[](double t) {
    return LinePoint{t, t == 0 ? 1e6 : std::nextafter(1e6, 2e6), 1e-12 * (2 * t - 2)};
  }};
  for (const double first_step : {1e-3, 1.0, 50.0}) {
    const LineSearchResult result = search(watched, first_step, {.curvature = 0.1});
    EXPECT_EQ(result.outcome, LineOutcome::wolfe);
    EXPECT_NEAR(result.point.step, 1, 0.2);
  }
}

TEST(StrongWolfe, OutOfEvaluationsTheBestStepIsEvaluatedLast) {
  // Falls steeply until 1, rises as steeply after it: no step of small slope.
  Watched watched{[](double t) { return LinePoint{t, std::abs(t - 1), t < 1 ? -1.0 : 1.0}; }};
  for (const std::size_t budget : {2, 3, 4, 7, 20}) {
    watched.calls = 0;
    const LineSearchResult result = search(watched, 0.1, {.max_evaluations = budget});
    EXPECT_EQ(result.outcome, LineOutcome::decreased);
    EXPECT_LT(result.point.value, 1);
    EXPECT_EQ(watched.last, result.point.step);
    EXPECT_EQ(result.evaluations, watched.calls);
    EXPECT_LE(result.evaluations, budget + 1);
  }
}

TEST(StrongWolfe, FailsWhereTheSlopeIsALie) {
  Watched watched{[](double t) { return LinePoint{t, t, -1}; }};
  const LineSearchResult result = search(watched, 1);
  EXPECT_EQ(result.outcome, LineOutcome::failed);
  EXPECT_EQ(result.evaluations, 20u);
}

TEST(StrongWolfe, UnboundedFunctionsEndInALongStep) {
  Watched watched{[](double t) { return LinePoint{t, -t, -1}; }};
  const LineSearchResult result = search(watched, 1);
  EXPECT_EQ(result.outcome, LineOutcome::decreased);
  EXPECT_GT(result.point.step, 1e6);
}

TEST(Backtrack, HalvesUntilTheDecreaseIsSufficient) {
  const auto trial = [](double t) { return ArmijoTrial{(t - 1) * (t - 1), -2 * t}; };
  const BacktrackResult result = backtrack(trial, 1, 10, 20);
  EXPECT_TRUE(result.found);
  EXPECT_EQ(result.step, 1.25);  // 10, 5, 2.5 are too high
  EXPECT_EQ(result.evaluations, 4u);
  EXPECT_EQ(result.value, 0.0625);
}

TEST(Backtrack, GivesUpAfterItsEvaluationsAndOnNanOrNoMove) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double minus_infinity = -std::numeric_limits<double>::infinity();
  EXPECT_FALSE(backtrack([](double t) { return ArmijoTrial{1 + t, -t}; }, 1, 1, 7).found);
  EXPECT_EQ(backtrack([](double t) { return ArmijoTrial{1 + t, -t}; }, 1, 1, 7).evaluations, 7u);
  EXPECT_FALSE(backtrack([&](double t) { return ArmijoTrial{nan, -t}; }, 1, 1, 7).found);
  EXPECT_FALSE(backtrack([&](double t) { return ArmijoTrial{minus_infinity, -t}; }, 1, 1, 7).found);
  EXPECT_FALSE(backtrack([](double) { return ArmijoTrial{0, 0}; }, 1, 1, 7).found);
}

}  // namespace
}  // namespace croft::line_search_test

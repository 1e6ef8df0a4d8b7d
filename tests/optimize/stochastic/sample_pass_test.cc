// What the methods share that go from sample to sample.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "optimize/sample_functions.h"
#include "optimize/stochastic/sample_layout.h"
#include "optimize/stochastic/step_sizes.h"

namespace croft::sample_pass_test {
namespace {

using namespace testing_functions;

TEST(SampleLayout, RunsCoverEveryCoordinateOnceWithTheirUsers) {
  Random random(1);
  SparseMaxent f(SparseRows(50, 60, 4, random));
  const SampleLayout layout(f);
  std::vector<std::uint32_t> users(f.dimension());
  for (std::size_t n = 0; n < f.samples(); ++n) {
    std::size_t size = 0;
    for (const auto& run : f.support(n, 0)) {
      size += run.length;
      for (std::size_t k = 0; k < run.length; ++k) ++users[run.begin + k];
    }
    EXPECT_EQ(layout.support_size(n), size);
    EXPECT_LE(size, layout.largest());
  }
  std::uint64_t end = 0;
  for (std::size_t r = 0; r < layout.runs().size(); ++r) {
    const auto run = layout.runs()[r];
    EXPECT_EQ(run.begin, end);
    end += run.length;
    for (std::size_t k = 0; k < run.length; ++k) {
      EXPECT_EQ(layout.samples_of_run()[r], users[run.begin + k]);
    }
  }
  EXPECT_EQ(end, f.dimension());
}

TEST(SampleOrder, IsAPermutationThatThePassAndTheSeedDecide) {
  std::vector<std::uint32_t> order, again, next, other;
  draw_order(1, 1, 1000, order);
  draw_order(1, 1, 1000, again);
  draw_order(1, 2, 1000, next);
  draw_order(2, 1, 1000, other);
  EXPECT_EQ(order, again);
  EXPECT_NE(order, next);
  EXPECT_NE(order, other);
  std::ranges::sort(order);
  for (std::uint32_t n = 0; n < 1000; ++n) EXPECT_EQ(order[n], n);
}

TEST(StepCalibration, FindsTheBestPowerOfTwo) {
  for (const double best : {1e-4, 0.03, 0.1, 2.0, 500.0}) {
    const auto trial = [&](double step) {
      return step > 100 * best ? NAN : std::abs(std::log(step / best));
    };
    const double found = calibrate_step(0.1, 20.0, trial);
    EXPECT_LE(std::abs(std::log2(found / best)), 0.5 + 1e-9) << best;
  }
}

TEST(StepCalibration, IsContentWithTheSmallestWhereNothingHelps) {
  const double found = calibrate_step(0.1, 1.0, [](double) { return 2.0; });
  EXPECT_GT(found, 0);
  EXPECT_LT(found, 1e-10);
}

TEST(StepSizes, AreThoseOfTheirNames) {
  StepSizes steps{.eta0 = 0.5, .lambda = 0.01, .samples = 100, .decay = 0.9};
  const double t0 = 1 / (0.01 * 0.5);
  EXPECT_NEAR(steps.at(250), 1 / (0.01 * (250 + t0)), 1e-15);
  steps.averaged = true;
  EXPECT_NEAR(steps.at(250), 0.5 * std::pow(1 + 0.01 * 0.5 * 250, -0.75), 1e-15);
  steps.averaged = false;
  steps.schedule = StepSchedule::inverse;
  EXPECT_NEAR(steps.at(250), 0.5 / 3.5, 1e-15);
  steps.schedule = StepSchedule::inverse_sqrt;
  EXPECT_NEAR(steps.at(250), 0.5 / std::sqrt(3.5), 1e-15);
  steps.schedule = StepSchedule::constant;
  EXPECT_NEAR(steps.at(250), 0.5 * 0.9 * 0.9, 1e-15);
}

}  // namespace
}  // namespace croft::sample_pass_test

#include "croft/optimize/stop_tracker.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "croft/core/error.h"

namespace croft::stop_tracker_test {
namespace {

Iteration point(std::size_t number, double objective, double gradient_norm = 1,
                double weight_norm = 0) {
  Iteration out;
  out.number = number;
  out.evaluations = number + 1;
  out.objective = objective;
  out.gradient_norm = gradient_norm;
  out.weight_norm = weight_norm;
  return out;
}

const IterationCallback kNone;

TEST(StopTracker, ObjectiveRuleComparesWithTheIterateAWindowAgo) {
  const StoppingRule rule{.tolerance = 0.1, .window = 2};
  StopTracker tracker(rule, kNone);
  EXPECT_FALSE(tracker.stop_at(point(0, 100)));
  EXPECT_FALSE(tracker.stop_at(point(1, 100)));  // no change, but no window yet
  EXPECT_FALSE(tracker.stop_at(point(2, 80)));   // (100 - 80) / 80
  EXPECT_FALSE(tracker.stop_at(point(3, 79)));   // (100 - 79) / 79
  EXPECT_TRUE(tracker.stop_at(point(4, 78)));    // (80 - 78) / 78
  EXPECT_EQ(tracker.result().reason, StopReason::converged_objective);
  EXPECT_TRUE(tracker.result().converged());
  EXPECT_EQ(tracker.result().iterations, 4u);
  EXPECT_EQ(tracker.result().evaluations, 5u);
  EXPECT_EQ(tracker.result().objective, 78);
}

TEST(StopTracker, ChangeIsAbsoluteBelowOneAndToleranceZeroSwitchesTheRuleOff) {
  const StoppingRule rule{.tolerance = 0.1, .window = 1}, off{.tolerance = 0, .window = 1};
  StopTracker tracker(rule, kNone), never(off, kNone);
  EXPECT_FALSE(tracker.stop_at(point(0, 0.2)));
  EXPECT_TRUE(tracker.stop_at(point(1, 0.15)));
  EXPECT_FALSE(never.stop_at(point(0, 5)));
  EXPECT_FALSE(never.stop_at(point(1, 5)));
}

TEST(StopTracker, GradientRuleScalesWithTheWeights) {
  const StoppingRule rule{.gradient_tolerance = 0.01};
  StopTracker tracker(rule, kNone);
  EXPECT_FALSE(tracker.stop_at(point(0, 3, 0.02, 0.5)));
  EXPECT_FALSE(tracker.stop_at(point(1, 2, 0.02, 1.9)));
  EXPECT_TRUE(tracker.stop_at(point(2, 1, 0.02, 2.0)));
  EXPECT_EQ(tracker.result().reason, StopReason::converged_gradient);
}

TEST(StopTracker, ZeroGradientStopsEvenWithToleranceZero) {
  const StoppingRule rule{.gradient_tolerance = 0};
  StopTracker tracker(rule, kNone);
  EXPECT_FALSE(tracker.stop_at(point(0, 3, 1e-300)));
  EXPECT_TRUE(tracker.stop_at(point(1, 3, 0)));
}

TEST(StopTracker, TargetAndMaxIterations) {
  const StoppingRule rule{.max_iterations = 1, .target = 5};
  StopTracker tracker(rule, kNone), other(rule, kNone);
  EXPECT_FALSE(tracker.stop_at(point(0, 9)));
  EXPECT_TRUE(tracker.stop_at(point(1, 5)));
  EXPECT_EQ(tracker.result().reason, StopReason::target);
  EXPECT_FALSE(other.stop_at(point(0, 9)));
  EXPECT_TRUE(other.stop_at(point(1, 8)));
  EXPECT_EQ(other.result().reason, StopReason::max_iterations);
  EXPECT_FALSE(other.result().converged());
}

TEST(StopTracker, CallbackSeesEveryIterateAndItsNoStops) {
  std::size_t seen = 0;
  const IterationCallback callback = [&](const Iteration& now) {
    EXPECT_EQ(now.number, seen++);
    return now.number < 2;
  };
  const StoppingRule rule;
  StopTracker tracker(rule, callback);
  EXPECT_FALSE(tracker.stop_at(point(0, 3)));
  EXPECT_FALSE(tracker.stop_at(point(1, 2)));
  EXPECT_TRUE(tracker.stop_at(point(2, 1)));
  EXPECT_EQ(tracker.result().reason, StopReason::stopped);
  EXPECT_EQ(seen, 3u);
}

TEST(StopTracker, ConvergenceOutranksACallbackThatStops) {
  const IterationCallback callback = [](const Iteration&) { return false; };
  const StoppingRule rule;
  StopTracker tracker(rule, callback);
  EXPECT_TRUE(tracker.stop_at(point(0, 3, 0)));
  EXPECT_EQ(tracker.result().reason, StopReason::converged_gradient);
}

TEST(StopTracker, NoProgressKeepsTheFiguresOfTheLastIterate) {
  const StoppingRule rule;
  StopTracker tracker(rule, kNone);
  EXPECT_FALSE(tracker.stop_at(point(0, 3, 0.5)));
  Iteration last = point(0, 3, 0.5);
  last.evaluations = 9;
  const OptimizeResult result = tracker.no_progress(last, "stuck");
  EXPECT_EQ(result.reason, StopReason::no_progress);
  EXPECT_EQ(result.message, "stuck");
  EXPECT_EQ(result.evaluations, 9u);
  EXPECT_EQ(result.objective, 3);
  EXPECT_EQ(result.gradient_norm, 0.5);
  EXPECT_FALSE(result.converged());
}

TEST(StoppingRule, BadFieldsAreNamedWithTheirRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto message = [](const StoppingRule& rule) -> std::string {
    try {
      rule.validate();
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({}), "");
  EXPECT_EQ(message({.tolerance = -1}), "tolerance is -1; it must be >= 0");
  EXPECT_EQ(message({.tolerance = nan}), "tolerance is nan; it must be >= 0");
  EXPECT_EQ(message({.window = 0}), "window is 0; it must be >= 1");
  EXPECT_EQ(message({.gradient_tolerance = -0.5}), "gradient_tolerance is -0.5; it must be >= 0");
  EXPECT_EQ(message({.target = nan}), "target is nan; it must be a number");
}

TEST(StopReason, NamesAreThoseOfTheEnumerators) {
  std::set<std::string_view> names;
  for (const StopReason reason :
       {StopReason::converged_objective, StopReason::converged_gradient, StopReason::target,
        StopReason::max_iterations, StopReason::stopped, StopReason::no_progress}) {
    names.insert(stop_reason_name(reason));
  }
  EXPECT_EQ(names.size(), 6u);
  EXPECT_EQ(stop_reason_name(StopReason::no_progress), "no_progress");
}

}  // namespace
}  // namespace croft::stop_tracker_test

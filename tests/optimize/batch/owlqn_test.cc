#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/optimize/lbfgs.h"
#include "optimize/functions.h"

namespace croft::owlqn_test {
namespace {

using namespace testing_functions;
using Vector = std::vector<double>;

LbfgsOptions tight(double gradient_tolerance = 1e-8) {
  LbfgsOptions options;
  options.stop.tolerance = 0;
  options.stop.gradient_tolerance = gradient_tolerance;
  options.stop.max_iterations = 5000;
  return options;
}

OptimizeResult minimise(BatchFunction& f, const Regulariser& regulariser, Vector& w,
                        const LbfgsOptions& options, const IterationCallback& callback = {}) {
  ThreadPool pool(1);
  return owlqn(f, regulariser, w, options, pool, callback);
}

double soft(double x, double threshold) {
  return std::copysign(std::max(std::abs(x) - threshold, 0.0), x);
}

TEST(Owlqn, SeparableQuadraticsAreSoftThresholdedWithExactZeros) {
  Random random(1);
  for (const double l2 : {0.0, 0.5}) {
    for (const double l1 : {0.1, 2.0, 5.0}) {
      Separable f(60, random);
      Vector w(60);
      for (double& x : w) x = random.normal();  // weights must also find their way to 0
      const OptimizeResult result = minimise(f, {.l1 = l1, .l2 = l2}, w, tight());
      EXPECT_TRUE(result.converged() || result.reason == StopReason::no_progress);
      for (std::size_t i = 0; i < 60; ++i) {
        const double expected = soft(f.b[i], l1) / (f.h[i] + l2);
        EXPECT_NEAR(w[i], expected, 1e-6);
        EXPECT_EQ(w[i] == 0, expected == 0) << i;
      }
    }
  }
}

TEST(Owlqn, LogisticRegressionSatisfiesTheOptimalityConditions) {
  Random random(2);
  for (const double l2 : {0.0, 1.5}) {
    for (const double l1 : {1.0, 10.0, 30.0}) {
      const std::size_t n = 40;
      Logistic f(150, n, random);
      Vector w(n, 0.0), gradient(n);
      const OptimizeResult result = minimise(f, {.l1 = l1, .l2 = l2}, w, tight(1e-7));
      EXPECT_TRUE(result.converged() || result.gradient_norm < 1e-5) << result.message;
      f.evaluate(w, gradient);
      std::size_t zeros = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double g = gradient[i] + l2 * w[i];
        if (w[i] == 0) {
          ++zeros;
          EXPECT_LE(std::abs(g), l1 + 1e-5);
        } else {
          EXPECT_NEAR(g, std::copysign(l1, -w[i]), 1e-5);
        }
      }
      EXPECT_GT(zeros, 0u);
      if (l1 < 30) {
        EXPECT_LT(zeros, n);
      }
    }
  }
}

// They start far on the wrong side of 0, which they may cross, and stay off 0 where others end.
TEST(Owlqn, FreeWeightsHaveNoPenaltyAndNoOrthant) {
  Random random(12);
  const std::size_t n = 30;
  const croft::Run free{11, 4};
  for (const double l2 : {0.0, 1.5}) {
    for (const double l1 : {5.0, 1e4}) {
      Logistic f(150, n, random);
      Vector w(n, 0.0), gradient(n);
      for (std::size_t i = free.begin; i < free.begin + free.length; ++i) w[i] = 20;
      const OptimizeResult result = minimise(f, {.l1 = l1, .l2 = l2, .free = free}, w, tight(1e-8));
      EXPECT_TRUE(result.converged() || result.gradient_norm < 1e-5) << result.message;
      double objective = f.evaluate(w, gradient);
      bool crossed = false;
      for (std::size_t i = 0; i < n; ++i) {
        if (i >= free.begin && i < free.begin + free.length) {
          EXPECT_NEAR(gradient[i], 0, 1e-5);
          crossed = crossed || w[i] < 0;
          continue;
        }
        objective += l1 * std::abs(w[i]) + l2 / 2 * w[i] * w[i];
        const double g = gradient[i] + l2 * w[i];
        if (w[i] == 0) {
          EXPECT_LE(std::abs(g), l1 + 1e-5);
        } else {
          EXPECT_NEAR(g, std::copysign(l1, -w[i]), 1e-5);
        }
        EXPECT_TRUE(l1 < 100 || w[i] == 0);
      }
      EXPECT_TRUE(crossed);
      EXPECT_NEAR(result.objective, objective, 1e-12 * objective);
    }
  }
}

TEST(Owlqn, ReportsObjectivePseudoGradientAndActiveWeights) {
  Random random(3);
  const std::size_t n = 30;
  Logistic f(100, n, random);
  Vector w(n, 0.0), gradient(n);
  const double l1 = 4, l2 = 0.5;
  double last = std::numeric_limits<double>::infinity();
  std::size_t active = 0;
  minimise(f, {.l1 = l1, .l2 = l2}, w, tight(1e-6), [&](const Iteration& now) {
    double objective = f.evaluate(now.w, gradient), norm = 0;
    active = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = now.w[i], g = gradient[i] + l2 * x;
      objective += l1 * std::abs(x) + l2 / 2 * x * x;
      const double v = x != 0 ? g + std::copysign(l1, x) : soft(g, l1);
      norm += v * v;
      active += x != 0;
    }
    EXPECT_NEAR(now.objective, objective, 1e-12 * objective);
    EXPECT_NEAR(now.gradient_norm, std::sqrt(norm), 1e-9);
    EXPECT_EQ(now.active, active);
    EXPECT_LT(now.objective, last);
    last = now.objective;
    return true;
  });
  EXPECT_LT(active, n);
  EXPECT_GT(active, 0u);
}

TEST(Owlqn, NoWeightChangesItsSignInOneIteration) {
  Random random(4);
  Logistic f(100, 30, random);
  Vector w(30), last;
  for (double& x : w) x = random.normal();
  std::size_t to_zero = 0;
  minimise(f, {.l1 = 3}, w, tight(1e-6), [&](const Iteration& now) {
    for (std::size_t i = 0; i < last.size(); ++i) {
      EXPECT_GE(last[i] * now.w[i], 0);
      to_zero += last[i] != 0 && now.w[i] == 0;
    }
    last.assign(now.w.begin(), now.w.end());
    return true;
  });
  EXPECT_GT(to_zero, 0u);
}

TEST(Owlqn, WithoutL1ItFindsTheMinimumOfLbfgs) {
  Random random(5);
  Logistic f(100, 20, random);
  Vector a(20, 0.0), b(20, 0.0);
  ThreadPool pool(1);
  lbfgs(f, {.l2 = 1}, a, tight(), pool);
  owlqn(f, {.l2 = 1}, b, tight(), pool);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(a[i], b[i], 1e-6);
}

TEST(Owlqn, AStrongPenaltyKeepsEverythingAtZero) {
  Random random(6);
  Logistic f(50, 10, random);
  Vector w(10, 0.0);
  const OptimizeResult result = minimise(f, {.l1 = 1e4}, w, tight());
  EXPECT_EQ(result.reason, StopReason::converged_gradient);
  EXPECT_EQ(result.iterations, 0u);
  EXPECT_EQ(result.gradient_norm, 0);
  EXPECT_EQ(w, Vector(10, 0.0));
}

TEST(Owlqn, EveryIterateHasTheSameBitsForAnyNumberOfThreads) {
  Random random(7);
  LongChain f(3 * kVectorBlock + 100, random);
  LbfgsOptions options;
  options.stop.max_iterations = 12;
  std::vector<Vector> expected;
  for (const std::size_t threads : {1, 2, 3, 7}) {
    ThreadPool pool(threads);
    Vector w(f.dimension(), 0.0);
    std::vector<Vector> iterates;
    owlqn(f, {.l1 = 1, .l2 = 0.1}, w, options, pool, [&](const Iteration& now) {
      iterates.emplace_back(now.w.begin(), now.w.end());
      return true;
    });
    if (expected.empty()) expected = iterates;
    EXPECT_GT(iterates.size(), 5u);
    EXPECT_EQ(iterates, expected) << threads;
  }
}

TEST(Owlqn, StopsForEachReason) {
  Random random(8);
  Logistic f(200, 10, random);
  const auto run = [&](StoppingRule rule, const IterationCallback& callback = {}) {
    Vector w(10, 0.0);
    LbfgsOptions options;
    options.stop = rule;
    return minimise(f, {.l1 = 1}, w, options, callback);
  };
  EXPECT_EQ(run({.tolerance = 1e-3, .window = 3, .gradient_tolerance = 0}).reason,
            StopReason::converged_objective);
  EXPECT_EQ(run({.tolerance = 0}).reason, StopReason::converged_gradient);
  EXPECT_EQ(run({.target = 100}).reason, StopReason::target);
  EXPECT_EQ(run({.max_iterations = 2}).reason, StopReason::max_iterations);
  EXPECT_EQ(run({.max_iterations = 0}).evaluations, 1u);
  EXPECT_EQ(run({}, [](const Iteration& now) { return now.number < 3; }).reason,
            StopReason::stopped);
  // Below what values in double can resolve: the exact iterate is kept.
  EXPECT_EQ(run({.tolerance = 0, .gradient_tolerance = 0}).reason, StopReason::no_progress);
}

TEST(Owlqn, NoProgressLeavesTheLastIterateToTheBit) {
  FromLambda f(3, [](std::span<const double> w, std::span<double> g) {
    double value = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      value += w[i] * w[i];
      g[i] = -2 * w[i];
    }
    return value;
  });
  Vector w = {0.1, 0.2, 0.7};
  const OptimizeResult result = minimise(f, {.l1 = 0.01}, w, {});
  EXPECT_EQ(result.reason, StopReason::no_progress);
  EXPECT_EQ(w, (Vector{0.1, 0.2, 0.7}));
}

TEST(Owlqn, AFailedLineSearchRestartsFromTheSteepestDescent) {
  Random random(9);
  Separable separable(10, random);
  std::size_t calls = 0;
  FromLambda f(10, [&](std::span<const double> w, std::span<double> g) {
    const double value = separable.evaluate(w, g);
    return ++calls > 6 && calls <= 30 ? std::nan("") : value;
  });
  Vector w(10, 1.0);
  const OptimizeResult result = minimise(f, {.l1 = 0.5}, w, tight(1e-6));
  EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
  EXPECT_GT(result.evaluations, 30u);
}

TEST(Owlqn, AStartThatIsNotFiniteIsAnError) {
  FromLambda f(1, [](std::span<const double> w, std::span<double> g) { return g[0] = w[0]; });
  Vector w(1, std::nan(""));
  EXPECT_THROW(minimise(f, {.l1 = 1}, w, {}), Error);
  EXPECT_THROW(minimise(f, {.l1 = -1}, w, {}), UsageError);
}

}  // namespace
}  // namespace croft::owlqn_test

#include "croft/optimize/lbfgs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/simd.h"
#include "core/vector_math.h"
#include "croft/core/error.h"
#include "optimize/functions.h"

namespace croft::lbfgs_test {
namespace {

using namespace testing_functions;
using Vector = std::vector<double>;

// Stops at the gradient only, and a tight one.
LbfgsOptions tight(double gradient_tolerance = 1e-9) {
  LbfgsOptions options;
  options.stop.tolerance = 0;
  options.stop.gradient_tolerance = gradient_tolerance;
  options.stop.max_iterations = 5000;
  return options;
}

OptimizeResult minimise(BatchFunction& f, const Regulariser& regulariser, Vector& w,
                        const LbfgsOptions& options, const IterationCallback& callback = {}) {
  ThreadPool pool(1);
  return lbfgs(f, regulariser, w, options, pool, callback);
}

TEST(Lbfgs, FindsTheMinimumOfRandomQuadratics) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    const std::size_t n = 1 + random.below(40);
    const double l2 = round % 2 == 0 ? 0 : 0.7;
    Quadratic f(n, 0.05, random);
    Vector w(n);
    for (double& x : w) x = 5 * random.normal();
    const OptimizeResult result = minimise(f, {.l2 = l2}, w, tight());
    EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
    const Vector expected = f.minimiser(l2);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(w[i], expected[i], 1e-6);
  }
}

TEST(Lbfgs, FindsTheMinimumOfRosenbrocksValley) {
  const auto body = [](std::span<const double> w, std::span<double> g) {
    double value = 0;
    std::fill(g.begin(), g.end(), 0.0);
    for (std::size_t i = 0; i + 1 < w.size(); ++i) {
      const double a = w[i + 1] - w[i] * w[i], b = 1 - w[i];
      value += 100 * a * a + b * b;
      g[i] += -400 * a * w[i] - 2 * b;
      g[i + 1] += 200 * a;
    }
    return value;
  };
  for (const std::size_t n : {2, 10}) {
    FromLambda f(n, body);
    Vector w(n, -1.2);
    const OptimizeResult result = minimise(f, {}, w, tight(1e-8));
    EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
    EXPECT_LT(result.evaluations, 200u);
    if (n == 2) {
      for (const double x : w) EXPECT_NEAR(x, 1, 1e-6);
    }
  }
}

TEST(Lbfgs, LogisticRegressionReachesAGradientOfZero) {
  Random random(2);
  Logistic f(300, 25, random);
  Vector w(25, 0.0), gradient(25);
  const double l2 = 0.3;
  // Far below sqrt(machine epsilon), where values of F alone cannot guide a line search.
  const OptimizeResult result = minimise(f, {.l2 = l2}, w, tight(1e-11));
  EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
  f.evaluate(w, gradient);
  for (std::size_t i = 0; i < 25; ++i) EXPECT_NEAR(gradient[i] + l2 * w[i], 0, 1e-9);
}

TEST(Lbfgs, ReportsTheObjectiveNormsAndCountsOfEachIterate) {
  Random random(3);
  Logistic f(50, 8, random);
  Vector w(8, 0.0), gradient(8);
  std::size_t number = 0;
  double last = std::numeric_limits<double>::infinity();
  const OptimizeResult result = minimise(f, {.l2 = 2}, w, tight(1e-6), [&](const Iteration& now) {
    EXPECT_EQ(now.number, number++);
    EXPECT_LT(now.objective, last);
    last = now.objective;
    double objective = f.evaluate(now.w, gradient), norm = 0, squared = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      objective += now.w[i] * now.w[i];
      squared += now.w[i] * now.w[i];
      norm += (gradient[i] + 2 * now.w[i]) * (gradient[i] + 2 * now.w[i]);
    }
    EXPECT_NEAR(now.objective, objective, 1e-12 * objective);
    EXPECT_NEAR(now.gradient_norm, std::sqrt(norm), 1e-10);
    EXPECT_NEAR(now.weight_norm, std::sqrt(squared), 1e-12);
    EXPECT_EQ(now.active, now.number == 0 ? 0u : 8u);
    return true;
  });
  EXPECT_EQ(result.iterations, number - 1);
  EXPECT_EQ(result.objective, last);
  EXPECT_GE(result.evaluations, number);
}

TEST(Lbfgs, TheFirstMoveHasLengthOneOrLess) {
  Random random(4);
  Quadratic f(10, 100, random);
  Vector w(10, 3.0);
  LbfgsOptions options = tight();
  options.stop.max_iterations = 1;
  minimise(f, {}, w, options);
  double squared = 0;
  for (const double x : w) squared += (x - 3) * (x - 3);
  EXPECT_LE(std::sqrt(squared), 1 + 1e-6);
}

TEST(Lbfgs, EveryIterateHasTheSameBitsForAnyNumberOfThreads) {
  Random random(5);
  LongChain f(3 * kVectorBlock + 100, random);
  LbfgsOptions options;
  options.stop.max_iterations = 12;
  std::vector<Vector> expected;
  for (const std::size_t threads : {1, 2, 3, 7}) {
    ThreadPool pool(threads);
    Vector w(f.dimension(), 0.0);
    std::vector<Vector> iterates;
    lbfgs(f, {.l2 = 0.1}, w, options, pool, [&](const Iteration& now) {
      iterates.emplace_back(now.w.begin(), now.w.end());
      return true;
    });
    if (expected.empty()) expected = iterates;
    EXPECT_GT(iterates.size(), 5u);
    EXPECT_EQ(iterates, expected) << threads;
  }
}

TEST(Lbfgs, EverySimdTargetFindsTheSameMinimum) {
  Random random(6);
  Logistic f(100, 20, random);
  const std::string before = simd_target();
  Vector expected;
  for (const std::string& name : simd_targets()) {
    force_simd_target(name);
    Vector w(20, 0.0);
    minimise(f, {.l2 = 1}, w, tight(1e-10));
    if (expected.empty()) expected = w;
    for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(w[i], expected[i], 1e-9) << name;
  }
  force_simd_target(before);
}

TEST(Lbfgs, StopsForEachReason) {
  Random random(7);
  Logistic f(200, 10, random);
  const Regulariser l2{.l2 = 1};
  const auto run = [&](StoppingRule rule, const IterationCallback& callback = {}) {
    Vector w(10, 0.0);
    LbfgsOptions options;
    options.stop = rule;
    const OptimizeResult result = minimise(f, l2, w, options, callback);
    EXPECT_FALSE(result.message.empty());
    return result;
  };
  EXPECT_EQ(run({.tolerance = 1e-3, .window = 3, .gradient_tolerance = 0}).reason,
            StopReason::converged_objective);
  EXPECT_EQ(run({.tolerance = 0}).reason, StopReason::converged_gradient);
  EXPECT_EQ(run({.target = 100}).reason, StopReason::target);
  EXPECT_EQ(run({.max_iterations = 2}).reason, StopReason::max_iterations);
  EXPECT_EQ(run({.max_iterations = 2}).iterations, 2u);
  EXPECT_EQ(run({.max_iterations = 0}).evaluations, 1u);
  EXPECT_EQ(run({}, [](const Iteration& now) { return now.number < 3; }).reason,
            StopReason::stopped);
}

TEST(Lbfgs, ACallbackThatStopsLeavesTheIterateItSaw) {
  Random random(8);
  Logistic f(200, 10, random);
  Vector w(10, 0.0), seen;
  minimise(f, {.l2 = 1}, w, {}, [&](const Iteration& now) {
    seen.assign(now.w.begin(), now.w.end());
    return now.number < 4;
  });
  EXPECT_EQ(w, seen);
}

TEST(Lbfgs, AWrongGradientEndsInNoProgressWhereItBegan) {
  FromLambda f(3, [](std::span<const double> w, std::span<double> g) {
    double value = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      value += w[i] * w[i];
      g[i] = -2 * w[i];
    }
    return value;
  });
  Vector w = {1, 2, 3};
  const OptimizeResult result = minimise(f, {}, w, {.max_line_search = 2});  // ends on a long step
  EXPECT_EQ(result.reason, StopReason::no_progress);
  EXPECT_NE(result.message.find("as low as rounding allows"), std::string::npos);
  EXPECT_EQ(result.iterations, 0u);
  EXPECT_EQ(result.evaluations, 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(w[i], static_cast<double>(i + 1), 1e-12);
}

TEST(Lbfgs, AFailedLineSearchRestartsFromTheSteepestDescent) {
  Random random(9);
  Quadratic quadratic(10, 0.1, random);
  std::size_t calls = 0;
  FromLambda f(10, [&](std::span<const double> w, std::span<double> g) {
    const double value = quadratic.evaluate(w, g);
    // Blind for longer than one line search, shorter than two.
    return ++calls > 6 && calls <= 30 ? std::numeric_limits<double>::infinity() : value;
  });
  Vector w(10, 1.0);
  const OptimizeResult result = minimise(f, {}, w, tight(1e-8));
  EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
  EXPECT_GT(result.evaluations, 30u);
}

TEST(Lbfgs, ATrialOutsideTheDomainIsShortened) {
  FromLambda f(2, [](std::span<const double> w, std::span<double> g) {
    double value = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      value += -std::log(1 - w[i]) - std::log(1 + w[i]) - 100 * w[i];
      g[i] = 1 / (1 - w[i]) - 1 / (1 + w[i]) - 100;
    }
    return value;
  });
  Vector w(2, 0.0);
  LbfgsOptions options = tight(1e-8);
  const OptimizeResult result = minimise(f, {}, w, options);
  EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
  // 2w / (1 - w^2) = 100
  const double expected = (-1 + std::sqrt(1 + 100.0 * 100.0)) / 100.0;
  for (const double x : w) EXPECT_NEAR(x, expected, 1e-9);
}

TEST(Lbfgs, NegativeCurvatureIsPassedOver) {
  // cos has maxima to roll off from; any minimum will do.
  FromLambda f(5, [](std::span<const double> w, std::span<double> g) {
    double value = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      value += std::cos((1 + i) * w[i]);
      g[i] = -(1.0 + i) * std::sin((1 + i) * w[i]);
    }
    return value;
  });
  Vector w(5, 0.01);
  const OptimizeResult result = minimise(f, {}, w, tight(1e-9));
  EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
  EXPECT_NEAR(result.objective, -5, 1e-9);
}

TEST(Lbfgs, AStartWithoutFiniteValueOrGradientIsAnError) {
  const double nan = std::nan("");
  const auto message = [](double value, double slope) -> std::string {
    FromLambda f(1, [=](std::span<const double>, std::span<double> g) {
      g[0] = slope;
      return value;
    });
    Vector w(1, 0.0);
    try {
      minimise(f, {}, w, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(nan, 1).find("the objective is nan at the starting point"), 0u);
  EXPECT_EQ(message(std::numeric_limits<double>::infinity(), 1).find("the objective is inf"), 0u);
  EXPECT_EQ(message(1, nan).find("the gradient's norm is nan"), 0u);
}

TEST(Lbfgs, NothingToMinimiseConvergesAtOnce) {
  FromLambda f(0, [](std::span<const double>, std::span<double>) { return 7.0; });
  Vector w;
  const OptimizeResult result = minimise(f, {}, w, {});
  EXPECT_EQ(result.reason, StopReason::converged_gradient);
  EXPECT_EQ(result.objective, 7);
}

TEST(Lbfgs, BadOptionsAreNamed) {
  Random random(10);
  Quadratic f(2, 1, random);
  const auto message = [&](LbfgsOptions options, Regulariser r, std::size_t n) -> std::string {
    Vector w(n, 0.0);
    try {
      minimise(f, r, w, options);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({.history = 0}, {}, 2), "history is 0; it must be from 1 to 1000");
  EXPECT_EQ(message({.max_line_search = 0}, {}, 2), "max_line_search is 0; it must be >= 1");
  EXPECT_EQ(message({.stop = {.window = 0}}, {}, 2), "window is 0; it must be >= 1");
  EXPECT_EQ(message({}, {.l2 = -1}, 2), "l2 is -1; it must be a finite number >= 0");
  EXPECT_NE(message({}, {.l1 = 1}, 2).find("OWL-QN"), std::string::npos);
  EXPECT_EQ(message({}, {}, 3), "3 starting weights for a function of 2");
}

}  // namespace
}  // namespace croft::lbfgs_test

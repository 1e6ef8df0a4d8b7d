#include "optimize/stochastic/online_methods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "croft/core/error.h"
#include "optimize/one_sample.h"
#include "optimize/sample_methods.h"
#include "optimize/stochastic/sample_layout.h"

namespace croft::passive_aggressive_test {
namespace {

using namespace testing_functions;

PassiveAggressiveOptions once(PassiveAggressiveKind kind, double aggressiveness) {
  PassiveAggressiveOptions options;
  options.kind = kind;
  options.aggressiveness = aggressiveness;
  options.average = false;
  options.stop.max_iterations = 1;
  return options;
}

SparseHinge hinge(std::uint64_t seed, bool noise = true) {
  Random random(seed);
  return SparseHinge(SparseRows(150, 40, 4, random, noise), 1);
}

void expect_near(const Vector& w, const Vector& expected, double tolerance = 1e-14) {
  ASSERT_EQ(w.size(), expected.size());
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(w[i], expected[i], tolerance) << i;
}

// g = (1, -2, 2), so |g|^2 = 9; at w = (0, 0, 0.5) the loss is 2 + 0.5 * 2 = 3.
TEST(PassiveAggressive, UpdatesComputedByHand) {
  const auto updated = [](PassiveAggressiveKind kind, double aggressiveness) {
    OneSample f({{1, -2, 2}}, {2});
    Vector w = {0, 0, 0.5};
    passive_aggressive(f, {}, w, once(kind, aggressiveness));
    return w;
  };
  const auto moved = [](double tau) { return Vector{-tau, 2 * tau, 0.5 - 2 * tau}; };
  expect_near(updated(PassiveAggressiveKind::pa, 0.01), moved(3.0 / 9));
  expect_near(updated(PassiveAggressiveKind::pa_1, 1), moved(3.0 / 9));
  expect_near(updated(PassiveAggressiveKind::pa_1, 0.1), moved(0.1));
  expect_near(updated(PassiveAggressiveKind::pa_2, 0.5), moved(3.0 / 10));
}

TEST(PassiveAggressive, PaMakesTheLossZeroAndThenRests) {
  OneSample f({{1, -2, 2}}, {2});
  Vector w = {0.25, 0, 0.5}, gradient(3);
  PassiveAggressiveOptions options = once(PassiveAggressiveKind::pa, 1);
  options.stop.max_iterations = 10;
  const OptimizeResult result = passive_aggressive(f, {}, w, options);
  EXPECT_NEAR(f.evaluate(w, gradient), 0, 1e-15);
  EXPECT_LE(result.iterations, 3u);
  EXPECT_LE(result.gradient_norm, 1e-15);
}

TEST(PassiveAggressive, TheAverageIsOfTheWeightsAfterEachSample) {
  SparseHinge f = hinge(1);
  PassiveAggressiveOptions options = once(PassiveAggressiveKind::pa_1, 0.3);
  options.average = true;
  options.stop.max_iterations = 3;
  Vector average(f.dimension());
  passive_aggressive(f, {}, average, options);

  Vector w(f.dimension()), sum(w), g(w);
  std::vector<std::uint32_t> order;
  for (std::size_t pass = 1; pass <= 3; ++pass) {
    draw_order(options.seed, pass, f.samples(), order);
    for (const std::uint32_t n : order) {
      const SampleFunction::Sample sample = f.evaluate_sample(n, w, g, 0);
      if (sample.active) {
        double squared = 0;
        for (std::size_t k = 0; k < f.rows().support_size(n); ++k) squared += g[k] * g[k];
        const double tau = std::min(0.3, sample.value / squared);
        std::size_t at = 0;
        for (const auto& run : f.support(n, 0)) {
          for (std::size_t k = 0; k < run.length; ++k) w[run.begin + k] -= tau * g[at++];
        }
      }
      for (std::size_t i = 0; i < w.size(); ++i) sum[i] += w[i];
    }
  }
  for (std::size_t i = 0; i < w.size(); ++i) {
    EXPECT_NEAR(average[i], sum[i] / static_cast<double>(3 * f.samples()), 1e-12);
  }
}

// The hinge of the average after many passes is near the least that there is: PA-1 with a small C
// is a subgradient method.
TEST(PassiveAggressive, LearnsSeparableData) {
  for (const PassiveAggressiveKind kind :
       {PassiveAggressiveKind::pa, PassiveAggressiveKind::pa_1, PassiveAggressiveKind::pa_2}) {
    SparseHinge f = hinge(2, false);
    PassiveAggressiveOptions options = once(kind, 1);
    options.stop.max_iterations = 300;
    Vector w(f.dimension()), gradient(w);
    const double before = f.evaluate(w, gradient);
    passive_aggressive(f, {}, w, options);
    EXPECT_LT(f.evaluate(w, gradient), 0.01 * before) << passive_aggressive_kind_name(kind);
  }
}

TEST(PassiveAggressive, AResumedRunEndsAtTheSameBits) {
  for (const bool average : {false, true}) {
    const auto run = [&](Vector& w, Checkpointer* checkpoints) {
      SparseHinge f = hinge(3);
      PassiveAggressiveOptions options = once(PassiveAggressiveKind::pa_2, 1);
      options.average = average;
      options.stop.max_iterations = 5;
      return passive_aggressive(f, {}, w, options, {}, checkpoints);
    };
    EXPECT_EQ(expect_resumed_runs_to_agree(Vector(hinge(3).dimension()), run), 4u);
  }
}

MiraOptions mira_once(std::size_t best, double aggressiveness) {
  MiraOptions options;
  options.best = best;
  options.aggressiveness = aggressiveness;
  options.average = false;
  options.stop.max_iterations = 1;
  return options;
}

// g1 = (1, 0, 0), g2 = (1, 1, 0).  With losses 1 and 1.5 both hold with equality:
// alpha1 + alpha2 = 1, alpha1 + 2 alpha2 = 1.5, so both are 0.5.
TEST(Mira, TwoLabellingsByHand) {
  const auto updated = [](Vector losses, double aggressiveness) {
    OneSample f({{1, 0, 0}, {1, 1, 0}}, std::move(losses));
    Vector w(3);
    mira(f, {}, w, mira_once(2, aggressiveness));
    return w;
  };
  expect_near(updated({1, 1.5}, 10), {-1, -0.5, 0}, 1e-11);
  // alpha2 = -0.5 is not allowed: alpha1 = 1 alone makes the second right too.
  expect_near(updated({1, 0.5}, 10), {-1, 0, 0});
  // Both would be larger than C.
  expect_near(updated({1, 1.5}, 0.4), {-0.8, -0.4, 0});
}

TEST(Mira, OneLabellingIsPa1) {
  SparseHinge f = hinge(4);
  for (const bool average : {false, true}) {
    MiraOptions options = mira_once(1, 0.3);
    options.average = average;
    options.stop.max_iterations = 3;
    PassiveAggressiveOptions same = once(PassiveAggressiveKind::pa_1, 0.3);
    same.average = average;
    same.stop.max_iterations = 3;
    Vector w(f.dimension()), expected(w);
    mira(f, {}, w, options);
    passive_aggressive(f, {}, expected, same);
    for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(w[i], expected[i], 1e-11);
  }
}

// Optimality of random problems: the slope of alpha_j is 0 inside (0, C), <= 0 at 0, >= 0 at C.
TEST(Mira, TheSolutionSatisfiesTheOptimalityConditions) {
  Random random(5);
  for (int round = 0; round < 50; ++round) {
    const std::size_t k = 1 + random.below(8), n = 4;
    Vector g(k * n), products(k * k), losses(k), alpha(k);
    for (double& x : g) x = random.normal();
    for (double& x : losses) x = random.normal() + 0.5;
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) {
        for (std::size_t d = 0; d < n; ++d) products[i * k + j] += g[i * n + d] * g[j * n + d];
      }
    }
    const double most = 0.7;
    solve_mira(products, losses, most, alpha);
    for (std::size_t j = 0; j < k; ++j) {
      double slope = losses[j];
      for (std::size_t i = 0; i < k; ++i) slope -= products[j * k + i] * alpha[i];
      EXPECT_GE(alpha[j], 0);
      EXPECT_LE(alpha[j], most);
      EXPECT_TRUE(alpha[j] == most || slope <= 1e-6) << round;
      EXPECT_TRUE(alpha[j] == 0 || slope >= -1e-6) << round;
    }
  }
}

TEST(Mira, AResumedRunEndsAtTheSameBits) {
  const auto run = [](Vector& w, Checkpointer* checkpoints) {
    SparseHinge f = hinge(6);
    MiraOptions options;
    options.best = 3;
    options.stop.max_iterations = 5;
    return mira(f, {}, w, options, {}, checkpoints);
  };
  EXPECT_EQ(expect_resumed_runs_to_agree(Vector(hinge(6).dimension()), run), 4u);
}

TEST(PassiveAggressive, RefusesPenaltiesAndOptionsThatMakeNoSense) {
  SparseHinge f = hinge(7);
  Vector w(f.dimension());
  EXPECT_THROW(passive_aggressive(f, {.l1 = 0, .l2 = 1}, w, {}), UsageError);
  EXPECT_THROW(mira(f, {.l1 = 0, .l2 = 1}, w, {}), UsageError);
  EXPECT_THROW(passive_aggressive(f, {}, w, once(PassiveAggressiveKind::pa_1, 0)), UsageError);
  EXPECT_THROW(mira(f, {}, w, mira_once(0, 1)), UsageError);
  EXPECT_THROW(mira(f, {}, w, mira_once(1, -1)), UsageError);
}

}  // namespace
}  // namespace croft::passive_aggressive_test

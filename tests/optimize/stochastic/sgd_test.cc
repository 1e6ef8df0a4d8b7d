#include "optimize/stochastic/sample_methods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "croft/core/error.h"
#include "optimize/sample_methods.h"
#include "optimize/stochastic/sample_layout.h"

namespace croft::sgd_test {
namespace {

using namespace testing_functions;

SparseMaxent maxent(std::uint64_t seed, std::size_t samples = 300, std::size_t attributes = 60) {
  Random random(seed);
  return SparseMaxent(SparseRows(samples, attributes, 4, random));
}

SgdOptions passes(std::size_t count) {
  SgdOptions options;
  options.stop = {.max_iterations = count, .tolerance = 0, .gradient_tolerance = 0};
  return options;
}

OptimizeResult minimise(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                        const SgdOptions& options, std::size_t threads = 1,
                        Checkpointer* checkpoints = nullptr) {
  ThreadPool pool(threads);
  return sgd(f, regulariser, w, options, pool, {}, checkpoints);
}

TEST(Sgd, WeightsThatAreToBeFreeAreRefused) {
  SparseMaxent f = maxent(1, 5, 4);
  Vector w(f.dimension(), 0.0);
  EXPECT_THROW(minimise(f, {.l2 = 1, .free = {0, 1}}, w, passes(1)), UsageError);
}

TEST(Sgd, KeepsCoordinatesFromBecomingNegative) {
  SparseMaxent f = maxent(2);
  Vector all(f.dimension(), 0.0), kept = all;
  SgdOptions options = passes(300);
  options.average_from = 50;
  minimise(f, {.l2 = 1}, all, options);
  const croft::Run half{0, static_cast<std::uint32_t>(f.dimension() / 2)};
  options.nonnegative = std::span(&half, 1);
  minimise(f, {.l2 = 1}, kept, options);
  std::size_t zeros = 0;
  for (std::size_t k = 0; k < half.length; ++k) {
    EXPECT_GE(kept[k], 0);
    zeros += kept[k] < 0.02 && all[k] < -0.02 ? 1 : 0;
  }
  EXPECT_GT(zeros, half.length / 5);
  EXPECT_LT(*std::min_element(kept.begin() + half.length, kept.end()), 0);
  // No step that stays within the bounds leads down.
  Vector gradient(f.dimension());
  f.evaluate(kept, gradient);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const double slope = gradient[k] + kept[k];
    EXPECT_GT(slope, -0.2);
    if (kept[k] > 0.05 || k >= half.length) {
      EXPECT_LT(slope, 0.2);
    }
  }
  EXPECT_THROW(minimise(f, {.l1 = 1}, kept, options), UsageError);
}

// SGD without any laziness: every coordinate is dealt with after every sample.
struct Eager {
  SampleFunction& f;
  Regulariser regulariser;
  Vector w, sum, paid;
  double penalty = 0, t = 0, count = 0;

  Eager(SampleFunction& function, const Regulariser& r)
      : f(function), regulariser(r), w(f.dimension()), sum(w), paid(w) {}

  void pass(const SgdOptions& options, std::size_t number) {
    const auto samples = static_cast<double>(f.samples());
    std::vector<std::uint32_t> order;
    draw_order(options.seed, number, f.samples(), order);
    const bool averages = options.average_from > 0;
    const StepSizes steps{.schedule = options.schedule,
                          .eta0 = *options.step,
                          .lambda = regulariser.l2 / samples,
                          .samples = samples,
                          .decay = options.decay,
                          .averaged = averages};
    Vector g(f.dimension());
    for (const std::uint32_t n : order) {
      const double eta = steps.at(t++);
      f.evaluate_sample(n, w, g, 0);
      std::size_t at = 0;
      for (const Run& run : f.support(n, 0)) {
        for (std::size_t k = 0; k < run.length; ++k) w[run.begin + k] -= eta * g[at++];
      }
      const double decay = 1 / (1 + eta * regulariser.l2 / samples);
      penalty = decay * penalty + eta * regulariser.l1 / samples;
      if (averages && number >= options.average_from) ++count;
      for (std::size_t i = 0; i < w.size(); ++i) {
        w[i] *= decay;
        paid[i] *= decay;
        if (regulariser.l1 > 0) clip(i);
        if (averages && number >= options.average_from) sum[i] += w[i];
      }
    }
  }
  // As Tsuruoka, Tsujii & Ananiadou write it.
  void clip(std::size_t i) {
    const double z = w[i];
    if (w[i] > 0) {
      w[i] = std::max(0.0, w[i] - (penalty + paid[i]));
    } else if (w[i] < 0) {
      w[i] = std::min(0.0, w[i] + (penalty - paid[i]));
    }
    paid[i] += w[i] - z;
  }
};

void expect_near(const Vector& a, const Vector& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << i;
}

TEST(Sgd, LazyDecaysAreTheEagerOnes) {
  for (const StepSchedule schedule : {StepSchedule::bottou, StepSchedule::inverse,
                                      StepSchedule::inverse_sqrt, StepSchedule::constant}) {
    SparseMaxent f = maxent(1);
    const Regulariser regulariser{.l1 = 0, .l2 = 2};
    SgdOptions options = passes(3);
    options.schedule = schedule;
    options.step = 0.2;
    Vector w(f.dimension());
    minimise(f, regulariser, w, options);
    Eager eager(f, regulariser);
    for (std::size_t pass = 1; pass <= 3; ++pass) eager.pass(options, pass);
    expect_near(w, eager.w, 1e-12);
  }
}

TEST(Sgd, DecaysThatUnderflowWithinAPassAreTheEagerOnes) {
  SparseMaxent f = maxent(1);
  const Regulariser regulariser{.l1 = 0, .l2 = 3000};  // 1 / (1 + 2)^300 = 1e-143
  SgdOptions options = passes(2);
  options.schedule = StepSchedule::constant;
  options.step = 0.2;
  Vector w(f.dimension());
  minimise(f, regulariser, w, options);
  Eager eager(f, regulariser);
  for (std::size_t pass = 1; pass <= 2; ++pass) eager.pass(options, pass);
  expect_near(w, eager.w, 1e-14);
}

TEST(Sgd, TheLazyAverageIsTheEagerOne) {
  SparseMaxent f = maxent(2);
  for (const std::size_t from : {1u, 2u, 3u}) {
    const Regulariser regulariser{.l1 = 0, .l2 = 2};
    SgdOptions options = passes(4);
    options.step = 0.2;
    options.average_from = from;
    options.average_power = 0;
    Vector w(f.dimension());
    minimise(f, regulariser, w, options);
    Eager eager(f, regulariser);
    for (std::size_t pass = 1; pass <= 4; ++pass) eager.pass(options, pass);
    for (double& x : eager.sum) x /= eager.count;
    EXPECT_EQ(eager.count, (5.0 - from) * f.samples());
    expect_near(w, eager.sum, 1e-12);
  }
}

TEST(Sgd, InTheAverageTheKthPassCountsAsAPowerOfK) {
  SparseMaxent f = maxent(2);
  const Regulariser regulariser{.l1 = 0, .l2 = 2};
  for (const double power : {0.5, 3.0}) {
    SgdOptions options = passes(4);
    options.step = 0.2;
    options.average_from = 2;
    options.average_power = power;
    Vector w(f.dimension());
    minimise(f, regulariser, w, options);
    Eager eager(f, regulariser);
    Vector expected(f.dimension(), 0.0);
    double total = 0;
    for (std::size_t pass = 1; pass <= 4; ++pass) {
      const Vector before = eager.sum;
      eager.pass(options, pass);
      if (pass < 2) continue;
      const double weight = std::pow(pass - 1.0, power);
      for (std::size_t i = 0; i < w.size(); ++i) expected[i] += weight * (eager.sum[i] - before[i]);
      total += weight * f.samples();
    }
    for (double& x : expected) x /= total;
    expect_near(w, expected, 1e-12);
  }
}

TEST(Sgd, TheLazyCumulativePenaltyIsTheEagerOneWithTheSameZeros) {
  SparseMaxent f = maxent(3);
  for (const double l2 : {0.0, 2.0}) {
    const Regulariser regulariser{.l1 = 2, .l2 = l2};
    SgdOptions options = passes(3);
    options.schedule = StepSchedule::inverse;
    options.step = 0.2;
    Vector w(f.dimension());
    minimise(f, regulariser, w, options);
    Eager eager(f, regulariser);
    for (std::size_t pass = 1; pass <= 3; ++pass) eager.pass(options, pass);
    expect_near(w, eager.w, 1e-12);
    std::size_t zeros = 0;
    for (std::size_t i = 0; i < w.size(); ++i) {
      EXPECT_EQ(w[i] == 0, eager.w[i] == 0) << i;
      zeros += w[i] == 0;
    }
    EXPECT_GT(zeros, 30u);
  }
}

TEST(Sgd, ReachesTheOptimum) {
  SparseMaxent f = maxent(4);
  for (const double l2 : {1.0, 10.0}) {
    Vector w(f.dimension());
    minimise(f, {.l2 = l2}, w, passes(60));
    EXPECT_LT(gap(f, {.l2 = l2}, w), 1e-3) << l2;
    SgdOptions options = passes(60);
    options.schedule = StepSchedule::constant;
    std::ranges::fill(w, 0.0);
    minimise(f, {.l2 = l2}, w, options);
    EXPECT_LT(gap(f, {.l2 = l2}, w), 2e-4) << l2;
    options = passes(60);
    options.average_from = 2;
    std::ranges::fill(w, 0.0);
    minimise(f, {.l2 = l2}, w, options);
    EXPECT_LT(gap(f, {.l2 = l2}, w), 1e-3) << l2;
  }
}

TEST(Sgd, ReachesTheOptimumOfTheL1Penalty) {
  SparseMaxent f = maxent(5);
  for (const double l2 : {0.0, 1.0}) {
    const Regulariser regulariser{.l1 = 1, .l2 = l2};
    SgdOptions options = passes(60);
    options.schedule = StepSchedule::constant;
    Vector w(f.dimension());
    minimise(f, regulariser, w, options);
    EXPECT_LT(gap(f, regulariser, w), 1e-3) << l2;
    EXPECT_GT(std::ranges::count(w, 0.0), 20);
  }
}

TEST(Sgd, ABatchDependsOnItsSizeAndNotOnTheThreads) {
  SparseMaxent f = maxent(6, 200);
  for (const Regulariser& regulariser :
       {Regulariser{.l1 = 0, .l2 = 1}, Regulariser{.l1 = 1, .l2 = 0}}) {
    for (const std::size_t batch : {1u, 7u, 64u}) {
      SgdOptions options = passes(3);
      options.batch = batch;
      Vector expected(f.dimension());
      minimise(f, regulariser, expected, options, 1);
      for (const std::size_t threads : {2u, 3u, 7u}) {
        Vector w(f.dimension());
        minimise(f, regulariser, w, options, threads);
        EXPECT_EQ(w, expected) << threads << " threads";
      }
    }
  }
}

TEST(Sgd, ABatchIsTheSumOfItsSamplesAtTheSameWeights) {
  SparseMaxent f = maxent(7, 40);
  const Regulariser regulariser{.l1 = 0, .l2 = 3};
  SgdOptions options = passes(1);
  options.batch = 40;
  options.step = 0.01;
  Vector w(f.dimension()), gradient(f.dimension());
  f.evaluate(w, gradient);
  minimise(f, regulariser, w, options);
  for (double& g : gradient) g *= -0.01 / (1 + 0.01 * 3);
  expect_near(w, gradient, 1e-14);
}

TEST(Sgd, AResumedRunEndsAtTheSameBits) {
  std::vector<SgdOptions> all(4, passes(5));
  all[1].average_from = 3;
  all[2].batch = 8;
  all[3].exact_every = 2;
  for (const SgdOptions& options : all) {
    for (const double l1 : {0.0, 1.0}) {
      if (l1 > 0 && options.average_from > 0) continue;
      const std::size_t count = expect_resumed_runs_to_agree(
          Vector(maxent(8).dimension()), [&](Vector& w, Checkpointer* c) {
            SparseMaxent f = maxent(8);
            return minimise(f, {.l1 = l1, .l2 = 1}, w, options, 1, c);
          });
      EXPECT_EQ(count, 4u);
    }
  }
}

TEST(Sgd, AnotherSeedIsAnotherOrder) {
  SparseMaxent f = maxent(9);
  SgdOptions options = passes(2);
  Vector w(f.dimension()), same(w), other(w);
  minimise(f, {.l2 = 1}, w, options);
  minimise(f, {.l2 = 1}, same, options);
  options.seed = 2;
  minimise(f, {.l2 = 1}, other, options);
  EXPECT_EQ(w, same);
  EXPECT_NE(w, other);
}

TEST(Sgd, ReportsTheObjectiveExactlyOrWhatThePassMet) {
  SparseMaxent f = maxent(10);
  const Regulariser regulariser{.l1 = 0.5, .l2 = 1};
  const auto objective = [&](std::span<const double> w) {
    Vector gradient(w.size());
    double value = f.evaluate(w, gradient);
    for (const double x : w) value += 0.5 * std::abs(x) + 0.5 * x * x;
    return value;
  };
  for (const std::size_t every : {0u, 1u, 3u}) {
    SgdOptions options = passes(7);
    options.exact_every = every;
    ThreadPool pool(1);
    Vector w(f.dimension()), before(w);
    double last = 0;
    sgd(f, regulariser, w, options, pool, [&](const Iteration& now) {
      if (now.number == 0 || (every > 0 && now.number % every == 0)) {
        EXPECT_NEAR(now.objective, objective(now.w), 1e-9 * now.objective);
        last = now.objective;
      } else if (every > 0) {
        EXPECT_EQ(now.objective, last);
      } else {
        // Of weights on the way: near the objective, and not the same.
        EXPECT_NEAR(now.objective, objective(now.w), 0.5 * objective(now.w));
        EXPECT_NE(now.objective, objective(now.w));
        double moved = 0;
        for (std::size_t i = 0; i < w.size(); ++i) {
          moved += (now.w[i] - before[i]) * (now.w[i] - before[i]);
        }
        EXPECT_NEAR(now.gradient_norm, std::sqrt(moved), 1e-12);
      }
      before.assign(now.w.begin(), now.w.end());
      return true;
    });
  }
}

TEST(Sgd, AStepThatIsFarTooLargeEndsWithFiniteWeights) {
  SparseMaxent f = maxent(11, 50);
  SgdOptions options = passes(20);
  options.step = 1e300;
  Vector w(f.dimension());
  const OptimizeResult result = minimise(f, {.l2 = 0}, w, options);
  EXPECT_EQ(result.reason, StopReason::no_progress) << result.message;
  for (const double x : w) EXPECT_TRUE(std::isfinite(x));
}

TEST(Sgd, RefusesOptionsThatMakeNoSense) {
  SparseMaxent f = maxent(12, 20);
  Vector w(f.dimension()), short_w(3);
  const auto refuses = [&](auto change, const Regulariser& r, std::span<double> at,
                           std::size_t threads, const std::string& name) {
    SgdOptions options = passes(1);
    change(options);
    try {
      minimise(f, r, at, options, threads);
      ADD_FAILURE() << "accepted a wrong " << name;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  };
  const auto nothing = [](SgdOptions&) {};
  refuses([](SgdOptions& o) { o.step = 0.0; }, {}, w, 1, "step");
  refuses([](SgdOptions& o) { o.step = std::nan(""); }, {}, w, 1, "step");
  refuses([](SgdOptions& o) { o.calibration_samples = 0; }, {}, w, 1, "calibration_samples");
  refuses([](SgdOptions& o) { o.batch = 0; }, {}, w, 1, "batch");
  refuses([](SgdOptions& o) { o.decay = 1.5; }, {}, w, 1, "decay");
  refuses([](SgdOptions& o) { o.average_from = 1; }, {.l1 = 1, .l2 = 0}, w, 1, "average_from");
  refuses([](SgdOptions& o) { o.batch = 4; }, {}, w, 9, "threads");
  refuses(nothing, {.l1 = -1, .l2 = 0}, w, 1, "l1");
  refuses(nothing, {}, short_w, 1, "weights");
}

}  // namespace
}  // namespace croft::sgd_test

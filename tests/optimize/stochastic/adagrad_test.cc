#include "optimize/stochastic/sample_methods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "croft/core/error.h"
#include "optimize/sample_methods.h"
#include "optimize/stochastic/sample_layout.h"

namespace croft::adagrad_test {
namespace {

using namespace testing_functions;

using Method = decltype(&adagrad);

SparseMaxent maxent(std::uint64_t seed, std::size_t samples = 300) {
  Random random(seed);
  return SparseMaxent(SparseRows(samples, 60, 4, random));
}

AdagradOptions passes(std::size_t count) {
  AdagradOptions options;
  options.stop = {.max_iterations = count, .tolerance = 0, .gradient_tolerance = 0};
  return options;
}

OptimizeResult minimise(Method method, SampleFunction& f, const Regulariser& regulariser,
                        std::span<double> w, const AdagradOptions& options, std::size_t threads = 1,
                        Checkpointer* checkpoints = nullptr) {
  ThreadPool pool(threads);
  return method(f, regulariser, w, options, pool, {}, checkpoints);
}

// The gradient of f_n in all coordinates.
Vector dense_gradient(SampleFunction& f, std::size_t n, const Vector& w) {
  Vector g(w.size()), out(w.size());
  f.evaluate_sample(n, w, g, 0);
  std::size_t at = 0;
  for (const auto& run : f.support(n, 0)) {
    for (std::size_t k = 0; k < run.length; ++k) out[run.begin + k] = g[at++];
  }
  return out;
}

TEST(Adagrad, IsTheDefinitionWithEachSamplesShareOfThePenaltyAveraged) {
  SparseMaxent f = maxent(1);
  AdagradOptions options = passes(2);
  options.step = 0.3;
  options.delta = 0.01;
  Vector w(f.dimension(), 0.1);
  minimise(adagrad, f, {.l1 = 0, .l2 = 5}, w, options);

  Vector expected(f.dimension(), 0.1), squares(expected.size()), users(expected.size());
  Vector average(expected.size());
  double count = 0;
  for (std::size_t n = 0; n < f.samples(); ++n) {
    for (const auto& run : f.support(n, 0)) {
      for (std::size_t k = 0; k < run.length; ++k) ++users[run.begin + k];
    }
  }
  for (std::size_t i = 0; i < users.size(); ++i) {
    if (users[i] == 0) expected[i] = 0;
  }
  std::vector<std::uint32_t> order;
  for (std::size_t pass = 1; pass <= 2; ++pass) {
    draw_order(options.seed, pass, f.samples(), order);
    for (const std::uint32_t n : order) {
      Vector g = dense_gradient(f, n, expected);
      for (const auto& run : f.support(n, 0)) {
        for (std::size_t i = run.begin; i < run.begin + run.length; ++i) {
          g[i] += 5 / users[i] * expected[i];
          squares[i] += g[i] * g[i];
          expected[i] -= 0.3 * g[i] / (0.01 + std::sqrt(squares[i]));
        }
      }
      const double weight = pass == 1 ? 1 : 8;  // 2^3
      count += weight;
      for (std::size_t i = 0; i < w.size(); ++i) average[i] += weight * expected[i];
    }
  }
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(w[i], average[i] / count, 1e-12);
}

// Every coordinate anew after every sample.
TEST(AdagradRda, LazyIsEager) {
  SparseMaxent f = maxent(2);
  const double l1 = 2, l2 = 3, samples = 300;
  AdagradOptions options = passes(3);
  options.step = 0.3;
  options.delta = 0.01;
  Vector w(f.dimension(), 0.1);
  minimise(adagrad_rda, f, {.l1 = l1, .l2 = l2}, w, options);

  Vector x(f.dimension(), 0.1), centre(x.size()), sums(x), squares(x.size());
  sums.assign(x.size(), 0.0);
  double time = 0, eta = 0;
  std::vector<std::uint32_t> order;
  for (std::size_t pass = 1; pass <= 3; ++pass) {
    draw_order(options.seed, pass, f.samples(), order);
    const double m = static_cast<double>(pass), fade = std::pow((m - 1) / m, 3);
    const double before = eta;
    eta = 0.3 / std::pow(m, 0.25);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double root = 0.01 + std::sqrt(squares[i]);
      const double old_pull = pass == 1 ? 0 : root / before * centre[i] - sums[i];
      sums[i] *= fade;
      // The centre that leaves x where it is.
      double pull = fade * old_pull;
      if (x[i] != 0) {
        pull = x[i] * (fade * time * l2 / samples + root / eta) +
               std::copysign(fade * time * l1 / samples, x[i]);
      }
      centre[i] = (pull + sums[i]) * eta / root;
    }
    time *= fade;
    for (const std::uint32_t n : order) {
      const Vector g = dense_gradient(f, n, x);
      ++time;
      for (std::size_t i = 0; i < x.size(); ++i) {
        sums[i] += g[i];
        squares[i] += g[i] * g[i];
        const double h = (0.01 + std::sqrt(squares[i])) / eta, pull = h * centre[i] - sums[i];
        const double shrunk = std::max(std::abs(pull) - time * l1 / samples, 0.0);
        x[i] = std::copysign(shrunk, pull) / (time * l2 / samples + h);
      }
    }
  }
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    EXPECT_NEAR(w[i], x[i], 1e-12);
    zeros += w[i] == 0;
  }
  EXPECT_GT(zeros, 20u);
}

TEST(Adagrad, ReachesTheOptimum) {
  SparseMaxent f = maxent(3);
  for (const double l2 : {1.0, 10.0}) {
    for (const Method method : {adagrad, adagrad_rda}) {
      Vector w(f.dimension());
      minimise(method, f, {.l2 = l2}, w, passes(100));
      EXPECT_LT(gap(f, {.l2 = l2}, w), 1e-3) << l2;
    }
  }
}

TEST(AdagradRda, ReachesTheOptimumOfTheL1PenaltyWithExactZeros) {
  SparseMaxent f = maxent(3);
  for (const Regulariser& regulariser :
       {Regulariser{.l1 = 1, .l2 = 0}, Regulariser{.l1 = 1, .l2 = 1},
        Regulariser{.l1 = 3, .l2 = 0}}) {
    Vector w(f.dimension());
    minimise(adagrad_rda, f, regulariser, w, passes(100));
    EXPECT_LT(gap(f, regulariser, w), 1e-3) << regulariser.l1;
    EXPECT_GT(std::ranges::count(w, 0.0), 30);
  }
}

TEST(Adagrad, ABatchDependsOnItsSizeAndNotOnTheThreads) {
  SparseMaxent f = maxent(4);
  for (const Method method : {adagrad, adagrad_rda}) {
    AdagradOptions options = passes(3);
    options.batch = 7;
    Vector expected(f.dimension());
    minimise(method, f, {.l2 = 1}, expected, options, 1);
    for (const std::size_t threads : {2u, 3u, 7u}) {
      Vector w(f.dimension());
      minimise(method, f, {.l2 = 1}, w, options, threads);
      EXPECT_EQ(w, expected) << threads << " threads";
    }
  }
}

TEST(Adagrad, AResumedRunEndsAtTheSameBits) {
  for (const Method method : {adagrad, adagrad_rda}) {
    const auto run = [&](Vector& w, Checkpointer* checkpoints) {
      SparseMaxent f = maxent(5);
      const Regulariser regulariser{.l1 = method == &adagrad ? 0.0 : 1.0, .l2 = 1};
      return minimise(method, f, regulariser, w, passes(6), 1, checkpoints);
    };
    EXPECT_EQ(expect_resumed_runs_to_agree(Vector(maxent(5).dimension()), run), 5u);
  }
}

TEST(Adagrad, RefusesOptionsThatMakeNoSense) {
  SparseMaxent f = maxent(6, 20);
  Vector w(f.dimension());
  EXPECT_THROW(minimise(adagrad, f, {.l1 = 1, .l2 = 0}, w, passes(1)), UsageError);
  for (const Method method : {adagrad, adagrad_rda}) {
    AdagradOptions options = passes(1);
    options.step = -1;
    EXPECT_THROW(minimise(method, f, {}, w, options), UsageError);
    options = passes(1);
    options.delta = 0;
    EXPECT_THROW(minimise(method, f, {}, w, options), UsageError);
    options = passes(1);
    options.batch = 3;
    EXPECT_THROW(minimise(method, f, {}, w, options, 9), UsageError);
    EXPECT_THROW(minimise(method, f, {}, std::span(w).first(2), passes(1)), UsageError);
  }
}

}  // namespace
}  // namespace croft::adagrad_test

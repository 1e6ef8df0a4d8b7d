#include "optimize/stochastic/sample_methods.h"

#include <gtest/gtest.h>

#include <vector>

#include "croft/core/error.h"
#include "support/sample_passes.h"

namespace croft::stochastic_meta_descent_test {
namespace {

using namespace testing_functions;

OptimizeResult minimise(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                        const SmdOptions& options, std::size_t threads = 1,
                        Checkpointer* checkpoints = nullptr) {
  ThreadPool pool(threads);
  return stochastic_meta_descent(f, regulariser, w, options, pool, {}, checkpoints);
}

TEST(StochasticMetaDescent, ReachesTheOptimum) {
  SparseMaxent f = maxent(3);
  for (const double l2 : {1.0, 10.0}) {
    Vector w(f.dimension());
    minimise(f, {.l2 = l2}, w, passes<SmdOptions>(50));
    EXPECT_LT(gap(f, {.l2 = l2}, w), 1e-3) << l2;
  }
}

// (w_0 - 1)^2 / 2 + 0.01 (w_1 - 1)^2 / 2, one sample: gains must learn the curvatures.
class Valley : public SampleFunction {
 public:
  std::size_t dimension() const override { return 2; }
  std::size_t samples() const override { return 1; }
  std::size_t workers() const override { return 1; }
  std::span<const Run> support(std::size_t, std::size_t) override { return run_; }
  Sample evaluate_sample(std::size_t, std::span<const double> w, std::span<double> gradient,
                         std::size_t) override {
    return {evaluate(w, gradient), true};
  }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    gradient[0] = 1.0 * (w[0] - 1);
    gradient[1] = 0.01 * (w[1] - 1);
    return 0.5 * gradient[0] * (w[0] - 1) + 0.5 * gradient[1] * (w[1] - 1);
  }

 private:
  std::vector<Run> run_{{0, 2}};
};

// H = diag(1, 0.01), from w = 0, v = 0, p = 0.5, with mu = rho = 1:  g = (-1, -0.01),
// w = v = (0.5, 0.005).  Then g = (-0.5, -0.00995), g . v = (-0.25, -0.00995 * 0.005), and p grows.
TEST(StochasticMetaDescent, TwoUpdatesComputedByHand) {
  Valley f;
  auto options = passes<SmdOptions>(2);
  options.gain = 0.5;
  options.meta_gain = 1;
  options.memory = 1;
  options.batch = 1;
  Vector w(2);
  minimise(f, {}, w, options);
  const double p0 = 0.5 * (1 + 0.5 * 0.5), p1 = 0.5 * (1 + 0.00995 * 0.005);
  EXPECT_NEAR(w[0], 0.5 + p0 * 0.5, 1e-9);
  EXPECT_NEAR(w[1], 0.005 + p1 * 0.00995, 1e-9);
  // And a third, for which H v counts: v = v - p (g + H v).
  options.stop.max_iterations = 3;
  Vector third(2);
  minimise(f, {}, third, options);
  const double v0 = 0.5 - p0 * (-0.5 + 0.5), g0 = w[0] - 1;
  EXPECT_NEAR(third[0], w[0] - p0 * (1 - g0 * v0) * g0, 1e-7);
}

TEST(StochasticMetaDescent, GainsThatAdaptAreFasterInAValley) {
  Valley f;
  Vector fixed(2), adapted(2), gradient(2);
  auto options = passes<SmdOptions>(60);
  options.gain = 0.5;
  options.batch = 1;
  options.meta_gain = 0;
  minimise(f, {}, fixed, options);
  options.meta_gain = 100;
  minimise(f, {}, adapted, options);
  EXPECT_LT(f.evaluate(adapted, gradient), 0.2 * f.evaluate(fixed, gradient));
}

TEST(StochasticMetaDescent, TheSameBitsForAnyNumberOfThreads) {
  SparseMaxent f = maxent(4);
  Vector expected(f.dimension());
  minimise(f, {.l2 = 1}, expected, passes<SmdOptions>(3), 1);
  for (const std::size_t threads : {2u, 3u, 7u}) {
    Vector w(f.dimension());
    minimise(f, {.l2 = 1}, w, passes<SmdOptions>(3), threads);
    EXPECT_EQ(w, expected) << threads << " threads";
  }
}

TEST(StochasticMetaDescent, AResumedRunEndsAtTheSameBits) {
  expect_passes_to_resume<SmdOptions>(
      5, [](SparseMaxent& f, Vector& w, const SmdOptions& options, Checkpointer* checkpoints) {
        return minimise(f, {.l2 = 1}, w, options, 1, checkpoints);
      });
}

TEST(StochasticMetaDescent, RefusesOptionsThatMakeNoSense) {
  SparseMaxent f = maxent(6, 20);
  Vector w(f.dimension());
  EXPECT_THROW(minimise(f, {.l1 = 1, .l2 = 0}, w, passes<SmdOptions>(1)), UsageError);
  EXPECT_THROW(minimise(f, {}, w, passes<SmdOptions>(1), 9), UsageError);
  const auto refuses = [&](auto change) {
    auto options = passes<SmdOptions>(1);
    change(options);
    EXPECT_THROW(minimise(f, {}, w, options), UsageError);
  };
  refuses([](SmdOptions& o) { o.gain = 0.0; });
  refuses([](SmdOptions& o) { o.meta_gain = -1; });
  refuses([](SmdOptions& o) { o.memory = 1.5; });
  refuses([](SmdOptions& o) { o.gain_range = 0.5; });
  refuses([](SmdOptions& o) { o.batch = 0; });
}

}  // namespace
}  // namespace croft::stochastic_meta_descent_test

#include "optimize/stochastic/sample_methods.h"

#include <gtest/gtest.h>

#include <vector>

#include "croft/core/error.h"
#include "support/sample_passes.h"

namespace croft::asynchronous_sgd_test {
namespace {

using namespace testing_functions;

OptimizeResult minimise(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                        const AsynchronousSgdOptions& options, std::size_t threads,
                        Checkpointer* checkpoints = nullptr) {
  ThreadPool pool(threads);
  return asynchronous_sgd(f, regulariser, w, options, pool, {}, checkpoints);
}

TEST(AsynchronousSgd, ReachesTheOptimumOnAnyNumberOfThreads) {
  SparseMaxent f = maxent(3);
  for (const std::size_t threads : {1u, 2u, 4u}) {
    for (const double l2 : {1.0, 10.0}) {
      Vector w(f.dimension());
      minimise(f, {.l2 = l2}, w, passes<AsynchronousSgdOptions>(60), threads);
      EXPECT_LT(gap(f, {.l2 = l2}, w), 5e-3) << l2 << ", threads " << threads;
    }
  }
}

TEST(AsynchronousSgd, OneThreadIsReproducibleAndResumes) {
  ASSERT_TRUE(asynchronous_sgd_is_reproducible(1));
  EXPECT_FALSE(asynchronous_sgd_is_reproducible(2));
  expect_passes_to_resume<AsynchronousSgdOptions>(
      4,
      [](SparseMaxent& f, Vector& w, const AsynchronousSgdOptions& options,
         Checkpointer* checkpoints) { return minimise(f, {.l2 = 1}, w, options, 1, checkpoints); });
}

TEST(AsynchronousSgd, WeightsWithoutSamplesGoToTheOptimumOfTheirPenalty) {
  SparseMaxent f = maxent(5, 30);
  Vector w(f.dimension(), 1.0);
  minimise(f, {.l2 = 1}, w, passes<AsynchronousSgdOptions>(1), 2);
  std::vector<bool> used(w.size());
  for (std::size_t n = 0; n < f.samples(); ++n) {
    for (const auto& run : f.support(n, 0)) {
      for (std::size_t k = 0; k < run.length; ++k) used[run.begin + k] = true;
    }
  }
  std::size_t unused = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (used[i]) continue;
    ++unused;
    EXPECT_EQ(w[i], 0);
  }
  EXPECT_GT(unused, 5u);
}

TEST(AsynchronousSgd, RefusesOptionsThatMakeNoSense) {
  SparseMaxent f = maxent(6, 20);
  Vector w(f.dimension());
  EXPECT_THROW(minimise(f, {.l1 = 1, .l2 = 0}, w, passes<AsynchronousSgdOptions>(1), 1),
               UsageError);
  EXPECT_THROW(minimise(f, {}, w, passes<AsynchronousSgdOptions>(1), 9), UsageError);
  auto options = passes<AsynchronousSgdOptions>(1);
  options.step = 0.0;
  EXPECT_THROW(minimise(f, {}, w, options, 1), UsageError);
  options = passes<AsynchronousSgdOptions>(1);
  options.decay = 0;
  EXPECT_THROW(minimise(f, {}, w, options, 1), UsageError);
}

}  // namespace
}  // namespace croft::asynchronous_sgd_test

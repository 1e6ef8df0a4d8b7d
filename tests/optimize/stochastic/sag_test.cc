#include "optimize/stochastic/sample_methods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "croft/core/error.h"
#include "optimize/sample_methods.h"
#include "optimize/stochastic/sample_layout.h"

namespace croft::sag_test {
namespace {

using namespace testing_functions;

SparseMaxent maxent(std::uint64_t seed, std::size_t samples = 300) {
  Random random(seed);
  return SparseMaxent(SparseRows(samples, 60, 4, random));
}

SagOptions passes(std::size_t count) {
  SagOptions options;
  options.stop = {.max_iterations = count, .tolerance = 0, .gradient_tolerance = 0};
  return options;
}

TEST(Sag, ReachesTheOptimum) {
  SparseMaxent f = maxent(3);
  for (const double uniform : {0.2, 0.5, 1.0}) {
    for (const double l2 : {0.1, 1.0, 10.0}) {
      SagOptions options = passes(60);
      options.uniform = uniform;
      Vector w(f.dimension());
      sag(f, {.l2 = l2}, w, options);
      EXPECT_LT(gap(f, {.l2 = l2}, w), l2 < 1 ? 1e-3 : 1e-7) << l2;
    }
  }
}

TEST(Sag, ABadGuessOfTheLipschitzConstantIsCorrected) {
  SparseMaxent f = maxent(4);
  for (const double guess : {1e-6, 1e3}) {
    SagOptions options = passes(100);
    options.lipschitz = guess;
    Vector w(f.dimension());
    sag(f, {.l2 = 1}, w, options);
    EXPECT_LT(gap(f, {.l2 = 1}, w), 1e-4) << guess;
  }
}

TEST(Sag, StopsByTheGradient) {
  SparseMaxent f = maxent(5);
  SagOptions options;
  options.stop.tolerance = 0;
  Vector w(f.dimension());
  const OptimizeResult result = sag(f, {.l2 = 1}, w, options);
  EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
  EXPECT_LT(gap(f, {.l2 = 1}, w), 1e-8);
}

// (SG.15) for all coordinates after every sample of the first pass, with the same constants: they
// are found from f alone, in the order of the pass.
TEST(Sag, LazyIsEager) {
  SparseMaxent f = maxent(6, 120);
  const double lambda = 4.0 / 120;
  SagOptions options = passes(1);
  Vector w(f.dimension());
  sag(f, {.l2 = 4}, w, options);

  Vector x(f.dimension()), sum(x), g(x), trial, scratch(x);
  std::vector<std::uint32_t> order;
  draw_order(options.seed, 1, f.samples(), order);
  double total = 0, largest = 0, seen = 0;
  for (const std::uint32_t n : order) {
    const std::size_t size = f.rows().support_size(n);
    const double value = f.evaluate_sample(n, x, std::span(g).first(size), 0).value;
    double squared = 0;
    for (std::size_t k = 0; k < size; ++k) squared += g[k] * g[k];
    const auto support = f.support(n, 0);
    const std::vector runs(support.begin(), support.end());
    double constant = seen == 0 ? 1.0 : total / seen;
    for (bool first = true;; first = false) {
      trial = x;
      std::size_t at = 0;
      for (const auto& run : runs) {
        for (std::size_t k = 0; k < run.length; ++k) trial[run.begin + k] -= g[at++] / constant;
      }
      if (f.evaluate_sample(n, trial, scratch, 0).value <= value - squared / (2 * constant)) {
        if (first) constant *= 0.5;
        break;
      }
      constant *= 2;
    }
    ++seen;
    total += constant;
    largest = std::max(largest, constant);
    std::size_t at = 0;
    for (const auto& run : runs) {
      for (std::size_t k = 0; k < run.length; ++k) {
        sum[run.begin + k] += static_cast<float>(g[at++]);
      }
    }
    const double alpha = 0.5 / (largest + lambda) + 0.5 / (total / seen + lambda);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = (1 - alpha * lambda) * x[i] - alpha / seen * sum[i];
    }
  }
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(w[i], x[i], 1e-10);
}

TEST(Sag, AResumedRunEndsAtTheSameBits) {
  const auto run = [](Vector& w, Checkpointer* checkpoints) {
    SparseMaxent f = maxent(7);
    return sag(f, {.l2 = 1}, w, passes(6), {}, checkpoints);
  };
  EXPECT_EQ(expect_resumed_runs_to_agree(Vector(maxent(7).dimension()), run), 5u);
}

TEST(Sag, RefusesOptionsThatMakeNoSense) {
  SparseMaxent f = maxent(8, 20);
  Vector w(f.dimension());
  EXPECT_THROW(sag(f, {.l1 = 1, .l2 = 0}, w, passes(1)), UsageError);
  SagOptions options = passes(1);
  options.uniform = 0;
  EXPECT_THROW(sag(f, {}, w, options), UsageError);
  options = passes(1);
  options.lipschitz = -1;
  EXPECT_THROW(sag(f, {}, w, options), UsageError);
}

}  // namespace
}  // namespace croft::sag_test

#include "optimize/stochastic/sample_methods.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <type_traits>

#include "croft/core/error.h"
#include "croft/optimize/lbfgs.h"

namespace croft::stochastic_approximation_test {
namespace {

// d_n = w - target_n + noise: on average 0 at the mean of the targets.
class NoisyMeans final : public DirectionFunction {
 public:
  explicit NoisyMeans(std::size_t workers) : workers_(workers), drawn_(kSamples, 0) {}
  std::size_t dimension() const override { return 2; }
  std::size_t samples() const override { return kSamples; }
  std::size_t workers() const override { return workers_; }
  std::span<const Run> support(std::size_t, std::size_t) override { return all_; }
  Drawn draw(std::size_t n, std::span<const double> w, Random& random, std::span<double> direction,
             std::size_t) override {
    ++drawn_[n];
    double square = 0;
    for (std::size_t k = 0; k < 2; ++k) {
      const double target = static_cast<double>(n % 4) + static_cast<double>(k);
      direction[k] = w[k] - target + random.normal();
      square += direction[k] * direction[k];
    }
    return {square, true};
  }
  void archive(StateArchive& state) override { state(drawn_); }

  static constexpr std::size_t kSamples = 64;

 private:
  std::size_t workers_;
  std::vector<std::uint64_t> drawn_;
  std::array<Run, 1> all_{{{0, 2}}};
};

std::vector<double> follow(std::size_t threads, StochasticApproximationOptions options,
                           double l2 = 0) {
  ThreadPool pool(threads);
  NoisyMeans f(threads);
  std::vector<double> w(2, 5.0);
  stochastic_approximation(f, {.l2 = l2}, w, options, pool);
  return w;
}

TEST(StochasticApproximation, EndsWhereDirectionsAreZeroOnAverage) {
  StochasticApproximationOptions options;
  options.stop.max_iterations = 200;
  options.average_from = 10;
  const std::vector<double> w = follow(1, options);
  EXPECT_NEAR(w[0], 1.5, 0.05);
  EXPECT_NEAR(w[1], 2.5, 0.05);
}

TEST(StochasticApproximation, ShrinksByThePenalty) {
  StochasticApproximationOptions options;
  options.schedule = StepSchedule::bottou;
  options.stop.max_iterations = 300;
  options.average_from = 10;
  // sum_n (w - target_n) + l2 w = 0 with l2 = N: half of it.
  const std::vector<double> w = follow(1, options, NoisyMeans::kSamples);
  EXPECT_NEAR(w[0], 0.75, 0.05);
  EXPECT_NEAR(w[1], 1.25, 0.05);
}

TEST(StochasticApproximation, GivesTheSameBitsForAnyNumberOfThreads) {
  StochasticApproximationOptions options;
  options.batch = 8;
  options.stop.max_iterations = 5;
  const std::vector<double> one = follow(1, options);
  EXPECT_EQ(one, follow(2, options));
  EXPECT_EQ(one, follow(3, options));
  options.seed = 2;
  EXPECT_NE(one, follow(1, options));
}

// Restores once, keeps each state that is offered.
class Memory final : public Checkpointer {
 public:
  bool restore(const State& state) override {
    if (!from) return false;
    StateArchive archive(*from);
    state(archive);
    return true;
  }
  void offer(const State& state) override {
    StateArchive archive;
    state(archive);
    last = archive.bytes();
  }
  std::optional<std::string> from;
  std::string last;
};

TEST(StochasticApproximation, GoesOnFromACheckpointToTheSameBits) {
  StochasticApproximationOptions options;
  options.average_from = 1;
  options.stop.max_iterations = 8;
  const std::vector<double> whole = follow(1, options);
  ThreadPool pool(1);
  Memory memory;
  {
    NoisyMeans f(1);
    std::vector<double> w(2, 5.0);
    auto half = options;
    half.stop.max_iterations = 4;
    stochastic_approximation(f, {}, w, half, pool, {}, &memory);
  }
  memory.from = memory.last;
  NoisyMeans f(1);
  std::vector<double> w(2, 5.0);
  stochastic_approximation(f, {}, w, options, pool, {}, &memory);
  EXPECT_EQ(w, whole);
}

// A direction has no value: no line search can be asked for.
static_assert(!std::is_convertible_v<DirectionFunction&, BatchFunction&>);
static_assert(!std::is_invocable_v<decltype(&lbfgs), NoisyMeans&, const Regulariser&,
                                   std::span<double>, const LbfgsOptions&, ThreadPool&,
                                   const IterationCallback&, Checkpointer*>);

TEST(StochasticApproximation, RefusesOptionsOutOfRange) {
  EXPECT_THROW(follow(1, {.step = -1.0}), UsageError);
  EXPECT_THROW(follow(1, {.calibration_samples = 0}), UsageError);
}

}  // namespace
}  // namespace croft::stochastic_approximation_test

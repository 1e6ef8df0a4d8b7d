#include "optimize/batch/iterative_scaling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/optimize/lbfgs.h"
#include "optimize/memory_checkpoint.h"

namespace croft::iterative_scaling_test {
namespace {

using Vector = std::vector<double>;

// Examples with `classes` candidates each, whose features are written out; the groups are those of
// equal totals.
class LogLinear : public ExpectationFunction {
 public:
  //   share : of features that are not 0; the smaller, the more totals differ
  LogLinear(std::size_t examples, std::size_t classes, std::size_t n, double share, Random& random)
      : n_(n), classes_(classes), empirical_(n) {
    for (std::size_t e = 0; e < examples; ++e) {
      Example example{Vector(classes * n), 0.5 + random.uniform(), 0};
      const std::size_t gold = random.below(classes);
      const double size = 1.0 + static_cast<double>(random.below(4));
      double largest = 0;
      for (std::size_t c = 0; c < classes; ++c) {
        double total = 0;
        for (std::size_t k = 0; k < n; ++k) {
          double& feature = example.features[c * n + k];
          feature = random.uniform() < share ? size * static_cast<double>(random.below(3)) : 0;
          total += feature;
          if (c == gold) empirical_[k] += example.weight * feature;
        }
        largest = std::max(largest, total);
      }
      const auto at = std::ranges::find(counts_.total, largest);
      example.group = static_cast<std::size_t>(at - counts_.total.begin());
      if (at == counts_.total.end()) counts_.total.push_back(largest);
      examples_.push_back(std::move(example));
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t g = 0; g < counts_.total.size(); ++g) {
        counts_.group.push_back(static_cast<std::uint16_t>(g));
      }
      counts_.begin.push_back(counts_.group.size());
    }
    counts_.expected.resize(counts_.group.size());
  }

  std::size_t dimension() const override { return n_; }
  std::span<const double> empirical() const override { return empirical_; }
  const ExpectedCounts& expected() const override { return counts_; }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    double value = 0;
    for (std::size_t k = 0; k < n_; ++k) {
      value -= w[k] * empirical_[k];
      gradient[k] = -empirical_[k];
    }
    std::ranges::fill(counts_.expected, 0.0);
    for (const Example& example : examples_) {
      Vector score(classes_);
      double z = 0;
      for (std::size_t c = 0; c < classes_; ++c) {
        for (std::size_t k = 0; k < n_; ++k) score[c] += w[k] * example.features[c * n_ + k];
        z += std::exp(score[c]);
      }
      value += example.weight * std::log(z);
      for (std::size_t c = 0; c < classes_; ++c) {
        const double p = example.weight * std::exp(score[c]) / z;
        for (std::size_t k = 0; k < n_; ++k) {
          const double count = p * example.features[c * n_ + k];
          gradient[k] += count;
          counts_.expected[k * counts_.total.size() + example.group] += count;
        }
      }
    }
    return value;
  }

  void set_empirical(std::size_t k, double value) { empirical_[k] = value; }
  std::size_t groups() const { return counts_.total.size(); }

 private:
  struct Example {
    Vector features;  // [classes][n]
    double weight;
    std::size_t group;
  };
  std::size_t n_, classes_;
  Vector empirical_;
  std::vector<Example> examples_;
  ExpectedCounts counts_;
};

using Scaling = decltype(&improved_iterative_scaling);

class IterativeScaling : public testing::TestWithParam<Scaling> {
 protected:
  static OptimizeResult run(ExpectationFunction& f, const Regulariser& regulariser, Vector& w,
                            const StoppingRule& stop, const IterationCallback& callback = {},
                            Checkpointer* checkpoints = nullptr, std::size_t threads = 1) {
    ThreadPool pool(threads);
    return GetParam()(f, regulariser, w, {.stop = stop}, pool, callback, checkpoints);
  }
};

StoppingRule at_gradient(double tolerance, std::size_t max_iterations = 100000) {
  return {.max_iterations = max_iterations, .tolerance = 0, .gradient_tolerance = tolerance};
}

TEST_P(IterativeScaling, FindsTheOptimumOfLbfgs) {
  for (const double l2 : {0.0, 0.3, 5.0}) {
    Random random(1);
    LogLinear f(60, 3, 7, 0.4, random);
    ASSERT_GT(f.groups(), 4u);
    Vector expected(7, 0.0), w(7, 0.0);
    ThreadPool pool(1);
    LbfgsOptions options;
    options.stop = at_gradient(1e-10);
    const OptimizeResult reference = lbfgs(f, {.l2 = l2}, expected, options, pool);
    ASSERT_EQ(reference.reason, StopReason::converged_gradient) << reference.message;
    const OptimizeResult result = run(f, {.l2 = l2}, w, at_gradient(1e-9));
    EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
    for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(w[k], expected[k], 1e-8) << l2;
  }
}

TEST_P(IterativeScaling, NoIterationRaisesTheObjective) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const double l2 = seed % 3 == 0 ? 0 : random.uniform();
    LogLinear f(1 + random.below(30), 2 + random.below(3), 6, 0.2 + 0.8 * random.uniform(), random);
    Vector w(6);
    for (double& x : w) x = random.normal();
    // Without a prior the features of few examples may have no optimum; a weight is enough.
    const Regulariser regulariser{.l2 = std::max(l2, 1e-3)};
    double last = std::numeric_limits<double>::infinity();
    std::size_t falls = 0;
    run(f, regulariser, w, at_gradient(1e-6, 200), [&](const Iteration& now) {
      EXPECT_LE(now.objective, last * (1 + 1e-12)) << "seed " << seed;
      falls += now.objective < last;
      last = now.objective;
      return true;
    });
    EXPECT_GT(falls, 2u);
  }
}

TEST_P(IterativeScaling, AResumedRunGoesOnToTheSameBits) {
  const auto resumed =
      expect_resumed_runs_to_agree(Vector(6, 0.5), [&](Vector& w, Checkpointer* checkpoints) {
        Random random(3);
        LogLinear f(30, 3, 6, 0.5, random);
        return run(f, {.l2 = 0.5}, w, at_gradient(0, 10), {}, checkpoints);
      });
  EXPECT_EQ(resumed, 9u);
}

TEST_P(IterativeScaling, EveryIterateHasTheSameBitsForAnyNumberOfThreads) {
  std::vector<Vector> expected;
  for (const std::size_t threads : {1, 2, 5}) {
    Random random(4);
    LogLinear f(20, 2, 40, 0.5, random);
    Vector w(40, 0.0);
    std::vector<Vector> iterates;
    run(
        f, {.l2 = 0.5}, w, at_gradient(0, 6),
        [&](const Iteration& now) {
          iterates.emplace_back(now.w.begin(), now.w.end());
          return true;
        },
        nullptr, threads);
    if (expected.empty()) expected = iterates;
    EXPECT_EQ(iterates, expected);
    EXPECT_EQ(iterates.size(), 7u);
  }
}

TEST_P(IterativeScaling, AFeatureThatIsNeverSeenNeedsAPrior) {
  Random random(5);
  LogLinear f(20, 3, 4, 1, random);
  f.set_empirical(2, 0);
  Vector w(4, 0.0);
  try {
    run(f, {}, w, {});
    ADD_FAILURE() << "no error";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("1 of 4 features never occur"), std::string::npos)
        << error.what();
  }
  const OptimizeResult result = run(f, {.l2 = 1}, w, at_gradient(1e-8));
  EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
  EXPECT_LT(w[2], 0);
}

TEST_P(IterativeScaling, ErrorsAreClear) {
  Random random(6);
  LogLinear f(20, 3, 4, 1, random);
  const auto message = [&](const Regulariser& regulariser, std::size_t n) -> std::string {
    Vector w(n, 0.0);
    try {
      run(f, regulariser, w, {});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({.l1 = 1}, 4),
            "l1 is 1; iterative scaling needs a smooth objective: l1 = 0, or OWL-QN");
  EXPECT_EQ(message({}, 3), "3 starting weights for a function of 4");
  f.set_empirical(1, -2);
  EXPECT_EQ(message({.l2 = 1}, 4),
            "the feature of weight 1 sums to -2 in the data; iterative scaling needs values >= 0");
}

INSTANTIATE_TEST_SUITE_P(Both, IterativeScaling,
                         testing::Values(&generalised_iterative_scaling,
                                         &improved_iterative_scaling),
                         [](const auto& each) {
                           return each.index == 0 ? std::string("Generalised")
                                                  : std::string("Improved");
                         });

// By hand: one example, two classes, one feature of value v on the gold class alone, total v.
// expected = v / (1 + exp(-w v)); without l2, d = log(empirical / expected) / v.
TEST(ImprovedIterativeScaling, OneStepByHand) {
  struct OneFeature : ExpectationFunction {
    Vector seen{3 * 0.9};
    ExpectedCounts counts{{3.0}, {0, 1}, {0}, {0.0}};
    std::size_t dimension() const override { return 1; }
    std::span<const double> empirical() const override { return seen; }
    const ExpectedCounts& expected() const override { return counts; }
    double evaluate(std::span<const double> w, std::span<double> gradient) override {
      counts.expected[0] = 3 / (1 + std::exp(-3 * w[0]));
      gradient[0] = counts.expected[0] - seen[0];
      return std::log1p(std::exp(3 * w[0])) - 0.9 * 3 * w[0];
    }
  } f;
  ThreadPool pool(1);
  Vector w{0.0};
  improved_iterative_scaling(f, {}, w, {.stop = {.max_iterations = 1}}, pool);
  EXPECT_NEAR(w[0], std::log(0.9 * 2) / 3, 1e-15);
}

TEST(ImprovedIterativeScaling, TakesLongerStepsThanTheGeneralisedOne) {
  Random random(7);
  LogLinear f(80, 3, 6, 0.3, random);
  const auto iterations = [&](Scaling method) {
    ThreadPool pool(1);
    Vector w(6, 0.0);
    return method(f, {.l2 = 0.1}, w, {.stop = at_gradient(1e-6)}, pool, {}, nullptr).iterations;
  };
  EXPECT_LT(2 * iterations(&improved_iterative_scaling),
            iterations(&generalised_iterative_scaling));
}

}  // namespace
}  // namespace croft::iterative_scaling_test

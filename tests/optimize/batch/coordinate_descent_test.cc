#include "optimize/batch/coordinate_descent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/optimize/lbfgs.h"
#include "croft/optimize/regulariser.h"
#include "optimize/memory_checkpoint.h"

namespace croft::coordinate_descent_test {
namespace {

using Vector = std::vector<double>;

struct Shape {
  std::size_t examples = 80, attributes = 12, labels = 4;
  bool values = false;   // other than 1, some below 0 and some large
  bool some = false;     // an attribute has weights for some labels only
  bool weights = false;  // of examples
};

// Random data by columns, and f on it in its plainest form.
class Columns final : public BatchFunction {
 public:
  Columns(const Shape& shape, Random& random) : labels_(shape.labels) {
    for (std::size_t n = 0; n < shape.examples; ++n) {
      gold_.push_back(static_cast<std::uint32_t>(random.below(labels_)));
      weight_.push_back(shape.weights ? 0.2 + 2 * random.uniform() : 1);
    }
    for (std::size_t a = 0; a < shape.attributes; ++a) {
      const double share = a == 0 ? 1 : 0.3 * random.uniform();
      for (std::uint32_t n = 0; n < shape.examples; ++n) {
        if (random.uniform() >= share + (gold_[n] == a % labels_ ? 0.2 : 0)) continue;
        place_.push_back(n);
        if (shape.values) value_.push_back(random.normal() * (a == 1 ? 20 : 1));
      }
      begin_.push_back(place_.size());
      for (std::uint32_t y = 0; y < labels_; ++y) {
        if (!shape.some || (a + y) % 4 == 0) label_.push_back(y);
      }
      first_.push_back(label_.size());
    }
  }
  SoftmaxColumns view() const {
    return {.labels = labels_,
            .weight = weight_,
            .gold = gold_,
            .begin = begin_,
            .place = place_,
            .value = value_,
            .first = first_,
            .label = label_};
  }
  std::size_t dimension() const override { return label_.size(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    std::vector<Vector> score(gold_.size(), Vector(labels_));
    for_entries([&](std::size_t k, std::size_t n, double v) { score[n][label_[k]] += v * w[k]; });
    double value = 0;
    for (std::size_t n = 0; n < gold_.size(); ++n) {
      const double most = *std::ranges::max_element(score[n]), gold = score[n][gold_[n]];
      double sum = 0;
      for (double& s : score[n]) sum += s = std::exp(s - most);
      value += weight_[n] * (most + std::log(sum) - gold);
      for (double& s : score[n]) s /= sum;
      score[n][gold_[n]] -= 1;
    }
    std::ranges::fill(gradient, 0.0);
    for_entries([&](std::size_t k, std::size_t n, double v) {
      gradient[k] += weight_[n] * v * score[n][label_[k]];
    });
    return value;
  }

 private:
  void for_entries(const auto& body) const {
    for (std::size_t a = 0; a + 1 < first_.size(); ++a) {
      for (std::uint64_t e = begin_[a]; e < begin_[a + 1]; ++e) {
        for (std::uint64_t k = first_[a]; k < first_[a + 1]; ++k) {
          body(k, place_[e], value_.empty() ? 1 : value_[e]);
        }
      }
    }
  }

  std::size_t labels_;
  Vector weight_, value_;
  std::vector<std::uint32_t> gold_, place_, label_;
  std::vector<std::uint64_t> begin_{0}, first_{0};
};

StoppingRule at_gradient(double tolerance, std::size_t iterations = 2000) {
  return {.max_iterations = iterations, .tolerance = 0, .gradient_tolerance = tolerance};
}

OptimizeResult descend(const Columns& f, const Regulariser& regulariser, Vector& w,
                       const StoppingRule& stop, const IterationCallback& callback = {},
                       Checkpointer* checkpoints = nullptr, std::size_t threads = 1) {
  ThreadPool pool(threads);
  CoordinateDescentOptions options;
  options.stop = stop;
  return coordinate_descent(f.view(), regulariser, w, options, pool, callback, checkpoints);
}

// F and the norm of its pseudo-gradient, from f alone.
std::pair<double, double> at(Columns& f, const Regulariser& r, std::span<const double> w) {
  Vector g(w.size()), v(w.size());
  const double objective =
      f.evaluate(w, g) + penalty(r, penalised_absolute(r, 0, w), penalised_square(r, 0, w));
  add_l2_gradient(r, w, g);
  pseudo_gradient(r, 0, w, g, v);
  double squared = 0;
  for (const double each : v) squared += each * each;
  return {objective, std::sqrt(squared)};
}

const std::vector<Shape> kShapes = {
    {},
    {.labels = 2},
    {.values = true},
    {.labels = 9, .some = true, .weights = true},
    {.labels = 12, .values = true, .some = true},
};

TEST(CoordinateDescent, ReachesTheOptimumOfLbfgs) {
  Random random(1);
  for (const Shape& shape : kShapes) {
    Columns f(shape, random);
    for (const double l2 : {0.01, 1.0, 30.0}) {
      const Regulariser r{.l2 = l2};
      Vector w(f.dimension()), expected(f.dimension());
      ThreadPool pool(1);
      LbfgsOptions options;
      options.stop = at_gradient(1e-11, 20000);
      lbfgs(f, r, expected, options, pool);
      const OptimizeResult result = descend(f, r, w, at_gradient(1e-9));
      EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
      for (std::size_t k = 0; k < w.size(); ++k) EXPECT_NEAR(w[k], expected[k], 1e-6);
    }
  }
}

// The conditions that w minimises F with l1, weight by weight, from f alone.
TEST(CoordinateDescent, WithL1MeetsTheConditionsOfTheOptimum) {
  Random random(2);
  for (const Shape& shape : kShapes) {
    Columns f(shape, random);
    for (const Regulariser r : {Regulariser{.l1 = 0.3}, Regulariser{.l1 = 2},
                                Regulariser{.l1 = 1, .l2 = 0.5}, Regulariser{.l1 = 1e4}}) {
      Vector w(f.dimension(), 0.1), g(f.dimension());
      const OptimizeResult result = descend(f, r, w, at_gradient(1e-8));
      EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
      f.evaluate(w, g);
      std::size_t zero = 0;
      for (std::size_t k = 0; k < w.size(); ++k) {
        const double pull = -g[k] - r.l2 * w[k];  // empirical - model - l2 w
        if (w[k] == 0) {
          EXPECT_LE(std::abs(pull), r.l1 + 1e-6);
          ++zero;
        } else {
          EXPECT_NEAR(pull, std::copysign(r.l1, w[k]), 1e-6);
        }
      }
      EXPECT_GT(zero, 0u);
      if (r.l1 == 1e4) {
        EXPECT_EQ(zero, w.size());
      }
    }
  }
}

TEST(CoordinateDescent, FreeWeightsHaveNoPenalty) {
  Random random(3);
  Columns f({.weights = true}, random);
  const Regulariser r{.l1 = 1e4, .l2 = 1, .free = {0, 4}};  // those of the first attribute
  Vector w(f.dimension()), g(f.dimension());
  const OptimizeResult result = descend(f, r, w, at_gradient(1e-9));
  EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
  f.evaluate(w, g);
  for (std::size_t k = 0; k < w.size(); ++k) {
    if (k < 4) {
      EXPECT_NE(w[k], 0);
      EXPECT_NEAR(g[k], 0, 1e-8);
    } else {
      EXPECT_EQ(w[k], 0);
    }
  }
}

TEST(CoordinateDescent, ReportsWhatFIsAndNeverGoesUp) {
  Random random(4);
  for (const Shape& shape : kShapes) {
    Columns f(shape, random);
    for (const Regulariser r : {Regulariser{}, Regulariser{.l2 = 0.1}, Regulariser{.l1 = 0.5}}) {
      Vector w(f.dimension());
      for (double& each : w) each = random.normal();
      double last = INFINITY;
      std::size_t number = 0;
      descend(f, r, w, at_gradient(1e-6, 30), [&](const Iteration& now) {
        const auto [objective, norm] = at(f, r, now.w);
        EXPECT_EQ(now.number, number++);
        EXPECT_NEAR(now.objective, objective, 1e-11 * objective);
        EXPECT_NEAR(now.gradient_norm, norm, 1e-9 * std::max(1.0, norm));
        EXPECT_LE(now.objective, last * (1 + 1e-12));
        EXPECT_EQ(now.active, static_cast<std::size_t>(
                                  std::ranges::count_if(now.w, [](double x) { return x != 0; })));
        last = now.objective;
        return true;
      });
    }
  }
}

// Scores so far apart that exponentials vanish, and come back.
TEST(CoordinateDescent, FindsBackFromFarAway) {
  Random random(5);
  Columns f({.values = true}, random);
  const Regulariser r{.l2 = 1};
  Vector w(f.dimension()), far(f.dimension());
  for (double& each : far) each = 300 * random.normal();
  descend(f, r, w, at_gradient(1e-9));
  const OptimizeResult result = descend(f, r, far, at_gradient(1e-9));
  EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
  for (std::size_t k = 0; k < w.size(); ++k) EXPECT_NEAR(far[k], w[k], 1e-7);
}

TEST(CoordinateDescent, ResumesExactly) {
  Random random(6);
  const Columns f({.values = true, .weights = true}, random);
  for (const Regulariser r : {Regulariser{.l2 = 0.1}, Regulariser{.l1 = 0.5}}) {
    const auto resumed = expect_resumed_runs_to_agree(
        Vector(f.dimension()), [&](Vector& w, Checkpointer* checkpoints) {
          return descend(f, r, w, at_gradient(0, 6), {}, checkpoints);
        });
    EXPECT_GE(resumed, 4u);
  }
}

TEST(CoordinateDescent, TheSameBitsForAnyNumberOfThreads) {
  Random random(7);
  const Columns f({.examples = 60, .attributes = 40'000, .labels = 3}, random);
  Vector one(f.dimension()), three(f.dimension());
  descend(f, {.l1 = 0.2, .l2 = 0.1}, one, at_gradient(0, 3));
  descend(f, {.l1 = 0.2, .l2 = 0.1}, three, at_gradient(0, 3), {}, nullptr, 3);
  EXPECT_EQ(one, three);
}

TEST(CoordinateDescent, WhatIsWrongIsRefused) {
  Random random(8);
  const Columns f({}, random);
  Vector w(f.dimension() - 1);
  EXPECT_THROW(descend(f, {}, w, {}), UsageError);
  w.resize(f.dimension());
  EXPECT_THROW(descend(f, {.l1 = -1}, w, {}), UsageError);
  w[0] = INFINITY;
  EXPECT_THROW(descend(f, {}, w, {}), Error);
}

}  // namespace
}  // namespace croft::coordinate_descent_test

// What every method for a smooth F has to show, whatever its way: as L-BFGS's optimum, never
// uphill, resumed to the bit, the same bits for any number of threads, clear errors.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/optimize/lbfgs.h"
#include "optimize/functions.h"
#include "optimize/memory_checkpoint.h"

namespace croft::smooth_method {

using namespace testing_functions;
using Vector = std::vector<double>;

// Any of the methods, with all but its stopping rule settled.
struct Call {
  CurvedFunction& f;
  const Regulariser& regulariser;
  std::span<double> w;
  const StoppingRule& stop;
  ThreadPool& pool;
  const IterationCallback& callback;
  Checkpointer* checkpoints;
};
using Method = std::function<OptimizeResult(const Call&)>;

inline OptimizeResult run(const Method& method, CurvedFunction& f, const Regulariser& regulariser,
                          Vector& w, const StoppingRule& stop,
                          const IterationCallback& callback = {},
                          Checkpointer* checkpoints = nullptr, std::size_t threads = 1) {
  ThreadPool pool(threads);
  return method({f, regulariser, w, stop, pool, callback, checkpoints});
}

inline StoppingRule at_gradient(double tolerance, std::size_t max_iterations = 20000) {
  return {.max_iterations = max_iterations, .tolerance = 0, .gradient_tolerance = tolerance};
}

inline void expect_minimum_of_quadratics(const Method& method) {
  Random random(1);
  for (int round = 0; round < 10; ++round) {
    const std::size_t n = 1 + random.below(30);
    const double l2 = round % 2 == 0 ? 0 : 0.7;
    Quadratic f(n, 0.1, random);
    Vector w(n);
    for (double& x : w) x = 5 * random.normal();
    const OptimizeResult result = run(method, f, {.l2 = l2}, w, at_gradient(1e-9));
    EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
    const Vector expected = f.minimiser(l2);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(w[i], expected[i], 1e-6);
  }
}

inline void expect_optimum_of_lbfgs(const Method& method) {
  for (const std::uint64_t seed : {2, 3, 4}) {
    Random random(seed);
    Logistic f(150, 20, random);
    Vector expected(20, 0.0), w(20, 0.0);
    ThreadPool pool(1);
    LbfgsOptions options;
    options.stop = at_gradient(1e-11);
    const OptimizeResult reference = lbfgs(f, {.l2 = 0.5}, expected, options, pool);
    ASSERT_EQ(reference.reason, StopReason::converged_gradient) << reference.message;
    const OptimizeResult result = run(method, f, {.l2 = 0.5}, w, at_gradient(1e-10));
    EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
    EXPECT_NEAR(result.objective, reference.objective, 1e-11 * reference.objective);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(w[i], expected[i], 1e-8);
  }
}

// If rounding hides what a step gains, the method goes on with the refined function, and it says
// "converged" of that one only.
inline void expect_refinement_where_steps_are_lost(const Method& method) {
  for (const std::uint64_t seed : {2, 3, 4}) {
    for (const StoppingRule& stop :
         {at_gradient(1e-7),
          StoppingRule{.max_iterations = 20000, .tolerance = 1e-9, .gradient_tolerance = 0}}) {
      Random random(seed);
      Logistic f(150, 20, random);
      Vector expected(20, 0.0), w(20, 0.0), vain(20, 0.0);
      const OptimizeResult reference = run(method, f, {.l2 = 0.5}, expected, stop);
      Rounded rounded(f), stays(f, false);
      const OptimizeResult result = run(method, rounded, {.l2 = 0.5}, w, stop);
      EXPECT_TRUE(rounded.is_refined());
      EXPECT_TRUE(result.converged()) << result.message;
      EXPECT_NEAR(result.objective, reference.objective, 1e-6);
      const OptimizeResult lost = run(method, stays, {.l2 = 0.5}, vain, stop);
      EXPECT_NEAR(lost.objective, reference.objective, 0.01);  // as near as it can tell
    }
  }
}

// f(w) + (l2/2) |w|^2 of all but some weights, for methods that are told of no penalty.
class PenalisedInPart final : public CurvedFunction {
 public:
  PenalisedInPart(CurvedFunction& f, double l2, Run free) : f_(f), l2_(l2), free_(free) {}
  std::size_t dimension() const override { return f_.dimension(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    double value = f_.evaluate(w, gradient);
    for_penalised([&](std::size_t i) {
      value += 0.5 * l2_ * w[i] * w[i];
      gradient[i] += l2_ * w[i];
    });
    return value;
  }
  void hessian_product(std::span<const double> v, std::span<double> out) override {
    f_.hessian_product(v, out);
    for_penalised([&](std::size_t i) { out[i] += l2_ * v[i]; });
  }

 private:
  template <class Visit>
  void for_penalised(const Visit& visit) const {
    for (std::size_t i = 0; i < f_.dimension(); ++i) {
      if (i < free_.begin || i >= free_.begin + free_.length) visit(i);
    }
  }
  CurvedFunction& f_;
  double l2_;
  Run free_;
};

inline void expect_optimum_with_free_weights(const Method& method) {
  for (const Run free : {Run{0, 1}, Run{7, 3}, Run{19, 1}, Run{0, 20}}) {
    Random random(free.begin + 40);
    Logistic f(150, 20, random);
    PenalisedInPart whole(f, 2, free);
    Vector expected(20, 0.0), w(20, 0.0), gradient(20);
    ThreadPool pool(1);
    LbfgsOptions options;
    options.stop = at_gradient(1e-11);
    const OptimizeResult reference = lbfgs(whole, {}, expected, options, pool);
    ASSERT_EQ(reference.reason, StopReason::converged_gradient) << reference.message;
    double weight_norm = 0;
    const OptimizeResult result =
        run(method, f, {.l2 = 2, .free = free}, w, at_gradient(1e-10), [&](const Iteration& now) {
          weight_norm = now.weight_norm;
          return true;
        });
    EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
    EXPECT_NEAR(result.objective, reference.objective, 1e-11 * reference.objective);
    f.evaluate(w, gradient);
    double norm = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_NEAR(w[i], expected[i], 1e-6);
      const bool is_free = i >= free.begin && i < free.begin + free.length;
      EXPECT_NEAR(gradient[i], is_free ? 0 : -2 * w[i], 1e-7);
      norm += w[i] * w[i];
    }
    EXPECT_NEAR(weight_norm, std::sqrt(norm), 1e-12);
  }
}

// Each iterate's record is that of F at w, and F falls.
inline void expect_true_records_and_falling_objective(const Method& method) {
  Random random(5);
  Logistic f(80, 8, random);
  Vector w(8, 0.3), gradient(8);
  std::size_t number = 0;
  double last = std::numeric_limits<double>::infinity();
  const OptimizeResult result =
      run(method, f, {.l2 = 2}, w, at_gradient(1e-4), [&](const Iteration& now) {
        EXPECT_EQ(now.number, number++);
        EXPECT_LT(now.objective, last);
        last = now.objective;
        Logistic copy = f;  // the method may rely on where f was evaluated last
        double objective = copy.evaluate(now.w, gradient), norm = 0, squared = 0;
        for (std::size_t i = 0; i < 8; ++i) {
          squared += now.w[i] * now.w[i];
          norm += (gradient[i] + 2 * now.w[i]) * (gradient[i] + 2 * now.w[i]);
        }
        EXPECT_NEAR(now.objective, objective + squared, 1e-12 * objective);
        EXPECT_NEAR(now.gradient_norm, std::sqrt(norm), 1e-10);
        EXPECT_NEAR(now.weight_norm, std::sqrt(squared), 1e-12);
        EXPECT_EQ(now.active, 8u);
        return true;
      });
  EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
  EXPECT_EQ(result.iterations, number - 1);
  EXPECT_EQ(result.objective, last);
  EXPECT_GE(result.evaluations, number);
}

// Is interrupted in the midst of its n-th evaluation.
class InterruptedFunction final : public CurvedFunction {
 public:
  InterruptedFunction(CurvedFunction& f, std::size_t n, ThreadPool& pool)
      : f_(f), left_(n), pool_(pool) {}
  std::size_t dimension() const override { return f_.dimension(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    double value = 0;
    pool_.run(3, [&](std::size_t task, std::size_t) {
      if (task == 0 && --left_ == 0) interruption = true;
      if (task == 2) value = f_.evaluate(w, gradient);
    });
    return value;
  }
  void hessian_product(std::span<const double> v, std::span<double> out) override {
    f_.hessian_product(v, out);
  }

 private:
  CurvedFunction& f_;
  std::size_t left_;
  ThreadPool& pool_;
};

inline void expect_last_iterate_of_an_interrupted_run(const Method& method) {
  for (std::size_t evaluation = 1; evaluation < 8; ++evaluation) {
    Random random(8);
    Logistic f(60, 8, random);
    ThreadPool pool(1);
    InterruptedFunction g(f, evaluation, pool);
    Vector w(8, 0.3), last = w;
    std::size_t iterations = 0;
    double objective = std::numeric_limits<double>::quiet_NaN();
    const OptimizeResult result =
        run(method, g, {.l2 = 0.1}, w, at_gradient(1e-12), [&](const Iteration& now) {
          last.assign(now.w.begin(), now.w.end());
          iterations = now.number;
          objective = now.objective;
          return true;
        });
    interruption = false;
    EXPECT_EQ(result.reason, StopReason::stopped) << evaluation << ": " << result.message;
    EXPECT_EQ(result.iterations, iterations);
    for (std::size_t i = 0; i < w.size(); ++i) EXPECT_EQ(w[i], last[i]) << evaluation;
    if (evaluation == 1) {
      EXPECT_TRUE(std::isnan(result.objective));
    } else {
      EXPECT_EQ(result.objective, objective);
    }
  }
}

inline void expect_exact_resumption(const Method& method, std::size_t iterations = 12) {
  const auto resumed =
      expect_resumed_runs_to_agree(Vector(15, 0.5), [&](Vector& w, Checkpointer* checkpoints) {
        Random random(6);
        Logistic f(60, 15, random);
        return run(method, f, {.l2 = 0.1}, w, at_gradient(0, iterations), {}, checkpoints);
      });
  EXPECT_GE(resumed, 4u);
}

// A curved function with more weights than a block of vector_math.
struct CurvedLongChain : CurvedFunction {
  LongChain chain;
  Vector last;
  CurvedLongChain(std::size_t n, Random& random) : chain(n, random) {}
  std::size_t dimension() const override { return chain.dimension(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    last.assign(w.begin(), w.end());
    return chain.evaluate(w, gradient);
  }
  void hessian_product(std::span<const double> v, std::span<double> out) override {
    for (std::size_t i = 0; i < v.size(); ++i) {
      out[i] = (chain.h[i] + 3 * last[i] * last[i]) * v[i];
      if (i > 0) out[i] += v[i] - v[i - 1];
      if (i + 1 < v.size()) out[i] += v[i] - v[i + 1];
    }
  }
};

inline void expect_same_bits_for_any_threads(const Method& method, std::size_t weights,
                                             std::size_t iterations = 8) {
  Random random(7);
  CurvedLongChain f(weights, random);
  std::vector<Vector> expected;
  for (const std::size_t threads : {1, 2, 5}) {
    Vector w(f.dimension(), 0.0);
    std::vector<Vector> iterates;
    run(
        method, f, {.l2 = 0.1}, w, at_gradient(0, iterations),
        [&](const Iteration& now) {
          iterates.emplace_back(now.w.begin(), now.w.end());
          return true;
        },
        nullptr, threads);
    if (expected.empty()) expected = iterates;
    EXPECT_GT(iterates.size(), 3u);
    EXPECT_EQ(iterates, expected) << threads;
  }
}

// A function from a lambda whose second derivative is `curvature` times the identity.
template <class Body>
class CurvedFromLambda : public CurvedFunction {
 public:
  CurvedFromLambda(std::size_t n, double curvature, Body body)
      : n_(n), curvature_(curvature), body_(std::move(body)) {}
  std::size_t dimension() const override { return n_; }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    return body_(w, gradient);
  }
  void hessian_product(std::span<const double> v, std::span<double> out) override {
    for (std::size_t i = 0; i < n_; ++i) out[i] = curvature_ * v[i];
  }

 private:
  std::size_t n_;
  double curvature_;
  Body body_;
};

inline void expect_no_progress_with_a_wrong_gradient(const Method& method) {
  CurvedFromLambda f(3, 2.0, [](std::span<const double> w, std::span<double> g) {
    double value = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      value += w[i] * w[i];
      g[i] = -2 * w[i];
    }
    return value;
  });
  Vector w = {1, 2, 3};
  const OptimizeResult result = run(method, f, {}, w, {});
  EXPECT_EQ(result.reason, StopReason::no_progress);
  EXPECT_NE(result.message.find("as low as rounding allows"), std::string::npos);
  EXPECT_EQ(result.iterations, 0u);
  EXPECT_EQ(w, (Vector{1, 2, 3}));
}

inline void expect_clear_errors(const Method& method) {
  Random random(8);
  const auto message = [&](const Regulariser& regulariser, std::size_t n,
                           const StoppingRule& stop = {}) -> std::string {
    Quadratic f(2, 1, random);
    Vector w(n, 0.0);
    try {
      run(method, f, regulariser, w, stop);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message({.l1 = 1}, 2).find("needs a smooth objective: l1 = 0, or OWL-QN"),
            std::string::npos);
  EXPECT_EQ(message({.l2 = -1}, 2), "l2 is -1; it must be a finite number >= 0");
  EXPECT_EQ(message({}, 3), "3 starting weights for a function of 2");
  EXPECT_EQ(message({}, 2, {.window = 0}), "window is 0; it must be >= 1");
  CurvedFromLambda nan(1, 1.0, [](std::span<const double>, std::span<double> g) {
    g[0] = 1;
    return std::nan("");
  });
  Vector w(1, 0.0);
  EXPECT_THROW(run(method, nan, {}, w, {}), Error);
}

inline void expect_nothing_to_do_where_there_are_no_weights(const Method& method) {
  CurvedFromLambda f(0, 1.0, [](std::span<const double>, std::span<double>) { return 7.0; });
  Vector w;
  const OptimizeResult result = run(method, f, {}, w, {});
  EXPECT_EQ(result.reason, StopReason::converged_gradient);
  EXPECT_EQ(result.objective, 7);
}

}  // namespace croft::smooth_method

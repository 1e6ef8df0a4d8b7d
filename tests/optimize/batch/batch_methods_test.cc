// All methods for smooth functions by the same tests; what is special to one comes after.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <ostream>

#include "optimize/batch/batch_methods.h"
#include "optimize/smooth_method.h"

namespace croft::batch_methods_test {
namespace {

using namespace smooth_method;

Method conjugate(ConjugateFormula formula, Preconditioning preconditioning) {
  return [=](const Call& c) {
    return conjugate_gradient(c.f, c.regulariser, c.w,
                              {.formula = formula,
                               .preconditioning = preconditioning,
                               .refresh = 4,
                               .mixed_iterations = 6,
                               .stop = c.stop},
                              c.pool, c.callback, c.checkpoints);
  };
}

const Method kSteepest = [](const Call& c) {
  return steepest_descent(c.f, c.regulariser, c.w, {.stop = c.stop}, c.pool, c.callback,
                          c.checkpoints);
};
const Method kBfgs = [](const Call& c) {
  return bfgs(c.f, c.regulariser, c.w, {.stop = c.stop}, c.pool, c.callback, c.checkpoints);
};
const Method kNewton = [](const Call& c) {
  return newton(c.f, c.regulariser, c.w, {.stop = c.stop}, c.pool, c.callback, c.checkpoints);
};
const Method kTruncatedNewton = [](const Call& c) {
  return truncated_newton(c.f, c.regulariser, c.w, {.stop = c.stop}, c.pool, c.callback,
                          c.checkpoints);
};
const Method kOwlqn = [](const Call& c) {
  return owlqn(c.f, {.l1 = 0.01, .l2 = c.regulariser.l2}, c.w, {.history = 4, .stop = c.stop},
               c.pool, c.callback, c.checkpoints);
};
const Method kLbfgs = [](const Call& c) {
  return lbfgs(c.f, c.regulariser, c.w, {.history = 4, .stop = c.stop}, c.pool, c.callback,
               c.checkpoints);
};

struct Named {
  const char* name;
  Method method;
  std::size_t threads_test_weights;  // few where a matrix is kept
};
void PrintTo(const Named& named, std::ostream* out) { *out << named.name; }

constexpr std::size_t kManyWeights = 3 * kVectorBlock + 100;

class SmoothMethod : public testing::TestWithParam<Named> {};

TEST_P(SmoothMethod, FindsTheMinimumOfQuadratics) {
  expect_minimum_of_quadratics(GetParam().method);
}
TEST_P(SmoothMethod, FindsTheOptimumOfLbfgs) { expect_optimum_of_lbfgs(GetParam().method); }
TEST_P(SmoothMethod, FindsTheOptimumWhereSomeWeightsAreFree) {
  expect_optimum_with_free_weights(GetParam().method);
}
TEST_P(SmoothMethod, GoesOnInDoublePrecisionWhereSingleLosesItsSteps) {
  expect_refinement_where_steps_are_lost(GetParam().method);
}
TEST_P(SmoothMethod, RecordsAreTrueAndTheObjectiveFalls) {
  expect_true_records_and_falling_objective(GetParam().method);
}
TEST_P(SmoothMethod, AResumedRunGoesOnToTheSameBits) { expect_exact_resumption(GetParam().method); }
TEST_P(SmoothMethod, EveryIterateHasTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits_for_any_threads(GetParam().method, GetParam().threads_test_weights);
}
TEST_P(SmoothMethod, AnInterruptedRunEndsAtItsLastIterate) {
  expect_last_iterate_of_an_interrupted_run(GetParam().method);
}
TEST_P(SmoothMethod, AWrongGradientEndsInNoProgressWhereItBegan) {
  expect_no_progress_with_a_wrong_gradient(GetParam().method);
}
TEST_P(SmoothMethod, ErrorsAreClear) { expect_clear_errors(GetParam().method); }
TEST_P(SmoothMethod, NothingToMinimiseConvergesAtOnce) {
  expect_nothing_to_do_where_there_are_no_weights(GetParam().method);
}

using enum ConjugateFormula;
INSTANTIATE_TEST_SUITE_P(
    All, SmoothMethod,
    testing::Values(
        Named{"SteepestDescent", kSteepest, kManyWeights},
        Named{"PolakRibiere", conjugate(polak_ribiere, Preconditioning::none), kManyWeights},
        Named{"HagerZhang", conjugate(hager_zhang, Preconditioning::none), kManyWeights},
        Named{"PreconditionedPolakRibiere", conjugate(polak_ribiere, Preconditioning::diagonal),
              kManyWeights},
        Named{"PreconditionedHagerZhang", conjugate(hager_zhang, Preconditioning::diagonal),
              kManyWeights},
        Named{"MixedHagerZhang", conjugate(hager_zhang, Preconditioning::mixed), kManyWeights},
        Named{"Bfgs", kBfgs, 150}, Named{"Newton", kNewton, 150},
        Named{"TruncatedNewton", kTruncatedNewton, kManyWeights},
        Named{"Lbfgs", kLbfgs, kManyWeights}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(Owlqn, GoesOnInDoublePrecisionWhereSingleLosesItsSteps) {
  expect_refinement_where_steps_are_lost(kOwlqn);
}

TEST(Owlqn, AnInterruptedRunEndsAtItsLastIterate) {
  expect_last_iterate_of_an_interrupted_run(kOwlqn);
}

// Products with the Hessian have to be asked for at the iterate, whatever was evaluated since.
struct Watched : Logistic {
  using Logistic::Logistic;
  Vector last;
  std::size_t products = 0;
  std::function<void()> on_product;
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    last.assign(w.begin(), w.end());
    return Logistic::evaluate(w, gradient);
  }
  void hessian_product(std::span<const double> v, std::span<double> out) override {
    ++products;
    on_product();
    Logistic::hessian_product(v, out);
  }
};

TEST(SecondOrderMethods, ProductsAreTakenAtTheIterate) {
  for (const Method& method : {kNewton, kTruncatedNewton}) {
    Random random(11);
    Watched f(40, 10, random);
    Vector w(10, 30.0);  // far out, where the quadratic model is bad and steps are rejected
    Vector iterate;
    f.on_product = [&] { EXPECT_EQ(f.last, iterate); };
    std::size_t evaluations = 0, most = 0;
    run(method, f, {.l2 = 0.01}, w, at_gradient(1e-9), [&](const Iteration& now) {
      iterate.assign(now.w.begin(), now.w.end());
      most = std::max(most, now.evaluations - evaluations);
      evaluations = now.evaluations;
      return true;
    });
    EXPECT_GT(f.products, 10u);
    EXPECT_GT(most, 1u);  // some step was not the first one tried
  }
}

TEST(Newton, SolvesAQuadraticInOneIteration) {
  Random random(12);
  Quadratic f(60, 0.5, random);
  Vector w(60, 1.0);
  const OptimizeResult result = run(kNewton, f, {.l2 = 0.3}, w, at_gradient(1e-10));
  EXPECT_EQ(result.iterations, 1u);
  const Vector expected = f.minimiser(0.3);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_NEAR(w[i], expected[i], 1e-10);
}

// f(w) = sum_i w_i^4 / 4 - w_i^2 / 2: at 0 the Hessian is -I, the minima are at -1 and 1.
struct DoubleWell : CurvedFunction {
  Vector last;
  std::size_t dimension() const override { return 6; }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    last.assign(w.begin(), w.end());
    double value = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      const double square = w[i] * w[i];
      value += 0.25 * square * square - 0.5 * square;
      gradient[i] = w[i] * square - w[i];
    }
    return value;
  }
  void hessian_product(std::span<const double> v, std::span<double> out) override {
    for (std::size_t i = 0; i < 6; ++i) out[i] = (3 * last[i] * last[i] - 1) * v[i];
  }
};

TEST(SecondOrderMethods, NegativeCurvatureIsNoObstacle) {
  for (const Method& method : {kNewton, kTruncatedNewton}) {
    DoubleWell f;
    Vector w{0.1, -0.1, 0.01, 2, -0.3, 0.2};
    const OptimizeResult result = run(method, f, {}, w, at_gradient(1e-10));
    EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
    for (const double x : w) EXPECT_NEAR(std::abs(x), 1, 1e-9);
  }
}

// A function of weights in units that are far apart; counts the products with its Hessian.
struct BadlyScaled : CurvedFunction {
  explicit BadlyScaled(CurvedFunction& function) : f(function), at(f.dimension()) {}
  static double scale(std::size_t i) { return std::array{0.3, 1.0, 3.0, 10.0}[i % 4]; }
  std::size_t dimension() const override { return f.dimension(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = scale(i) * w[i];
    const double value = f.evaluate(at, gradient);
    for (std::size_t i = 0; i < at.size(); ++i) gradient[i] *= scale(i);
    return value;
  }
  void hessian_product(std::span<const double> v, std::span<double> out) override {
    ++products;
    Vector scaled(v.begin(), v.end());
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] *= scale(i);
    f.hessian_product(scaled, out);
    for (std::size_t i = 0; i < scaled.size(); ++i) out[i] *= scale(i);
  }
  CurvedFunction& f;
  Vector at;
  std::size_t products = 0;
};

TEST(TruncatedNewton, APreconditionerSparesProductsAndLeavesTheMinimum) {
  Random random(21);
  Logistic f(400, 40, random);
  ThreadPool pool(1);
  const auto products = [&](const PreconditionerAt& precondition, Vector& w) {
    BadlyScaled scaled(f);
    const OptimizeResult result = truncated_newton(
        scaled, {.l2 = 0.01}, w, {.stop = at_gradient(1e-8)}, pool, {}, nullptr, precondition);
    EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
    return scaled.products;
  };
  Vector plain(40, 0.0), preconditioned(40, 0.0);
  const std::size_t without = products({}, plain);
  std::size_t iterates = 0;
  const std::size_t with = products(
      [&](std::span<const double> w) -> Preconditioner {
        EXPECT_EQ(w.size(), 40u);
        ++iterates;
        return [](std::span<double> r) {
          for (std::size_t i = 0; i < r.size(); ++i)
            r[i] /= BadlyScaled::scale(i) * BadlyScaled::scale(i);
        };
      },
      preconditioned);
  EXPECT_GT(iterates, 2u);
  EXPECT_LT(2 * with, without);
  // Each is within |gradient| / l2 of the minimum, and |gradient| <= 1e-8 max(1, |w|).
  const double norm = std::sqrt(std::inner_product(plain.begin(), plain.end(), plain.begin(), 0.0));
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_NEAR(preconditioned[i], plain[i], 2e-8 * std::max(1.0, norm) / 0.01) << i;
  }
}

TEST(TruncatedNewton, FewerProductsAnIterationMeanMoreIterations) {
  const auto iterations = [](double accuracy, std::size_t max_products) {
    Random random(13);
    Logistic f(200, 30, random);
    ThreadPool pool(1);
    Vector w(30, 0.0);
    const TruncatedNewtonOptions options{.accuracy = accuracy,
                                         .least_gain = 0,
                                         .max_products = max_products,
                                         .stop = at_gradient(1e-9)};
    const OptimizeResult result = truncated_newton(f, {.l2 = 0.01}, w, options, pool);
    EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
    return result.iterations;
  };
  EXPECT_LE(iterations(1e-6, 500), 15u);
  EXPECT_GT(iterations(1e-6, 3), 2 * iterations(1e-6, 500));
  EXPECT_GT(iterations(0.9, 500), iterations(1e-6, 500));
}

// Exact searches on a quadratic of n dimensions end after n steps; these come close.
TEST(ConjugateGradient, NeedsLittleMoreStepsThanDimensionsOnAQuadratic) {
  Random random(14);
  Quadratic f(25, 0.05, random);
  for (const ConjugateFormula formula : {polak_ribiere, hager_zhang}) {
    Vector w(25, 1.0);
    const OptimizeResult result =
        run(conjugate(formula, Preconditioning::none), f, {}, w, at_gradient(1e-7));
    EXPECT_LE(result.iterations, 75u);
    Vector slow(25, 1.0);
    EXPECT_GT(run(kSteepest, f, {}, slow, at_gradient(1e-7)).iterations, 3 * result.iterations);
  }
}

TEST(ConjugateGradient, APreconditionerUndoesBadScaling) {
  // Curvatures from 1e-3 to 1e3, all alike once scaled.
  const std::size_t n = 60;
  CurvedFromLambda f(n, 1.0, [](std::span<const double> w, std::span<double> g) {
    double value = 0;
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double h = std::pow(10.0, 6.0 * static_cast<double>(i) / 59 - 3);
      value += 0.5 * h * w[i] * w[i] - std::sqrt(h) * w[i];
      g[i] = h * w[i] - std::sqrt(h);
    }
    return value;
  });
  const auto iterations = [&](Preconditioning preconditioning) {
    Vector w(n, 0.0);
    ThreadPool pool(1);
    const OptimizeResult result = conjugate_gradient(
        f, {}, w, {.preconditioning = preconditioning, .stop = at_gradient(1e-6)}, pool);
    EXPECT_TRUE(result.converged()) << result.message;
    return result.iterations;
  };
  EXPECT_GT(iterations(Preconditioning::none), 50u);
  EXPECT_LE(iterations(Preconditioning::diagonal), 2u);  // of a diagonal Hessian P is the inverse
}

TEST(ConjugateGradient, MixedIsPreconditionedFirstAndPlainAfterwards) {
  const auto objectives = [](Preconditioning preconditioning, std::size_t mixed_iterations,
                             std::uint64_t seed = 1) {
    Random random(15);
    Logistic f(50, 10, random);
    Vector w(10, 0.0);
    ThreadPool pool(1);
    std::vector<double> list;
    conjugate_gradient(f, {.l2 = 1}, w,
                       {.preconditioning = preconditioning,
                        .mixed_iterations = mixed_iterations,
                        .seed = seed,
                        .stop = at_gradient(0, 8)},
                       pool, [&](const Iteration& now) {
                         list.push_back(now.objective);
                         return true;
                       });
    return list;
  };
  const auto diagonal = objectives(Preconditioning::diagonal, 4);
  const auto mixed = objectives(Preconditioning::mixed, 4);
  ASSERT_EQ(mixed.size(), 9u);
  for (std::size_t k = 0; k <= 4; ++k) EXPECT_EQ(mixed[k], diagonal[k]) << k;
  EXPECT_NE(mixed[5], diagonal[5]);
  const auto plain = objectives(Preconditioning::none, 4);
  EXPECT_NE(plain[1], mixed[1]);
  EXPECT_EQ(objectives(Preconditioning::mixed, 0), plain);
  EXPECT_NE(objectives(Preconditioning::diagonal, 4, 2), diagonal);
}

TEST(Bfgs, KeepsTheCurvatureOfAllMovesWhereLbfgsForgets) {
  Random random(16);
  Quadratic f(40, 0.01, random);
  Vector w(40, 1.0), other(40, 1.0);
  const std::size_t whole = run(kBfgs, f, {}, w, at_gradient(1e-8)).iterations;
  EXPECT_LT(whole, run(kLbfgs, f, {}, other, at_gradient(1e-8)).iterations);
}

TEST(MatrixMethods, TooManyWeightsAreAnErrorThatSaysWhatTheyWouldTake) {
  CurvedFromLambda f(100000, 1.0, [](std::span<const double>, std::span<double>) { return 0.0; });
  Vector w(100000, 0.0);
  for (const Method& method : {kBfgs, kNewton}) {
    try {
      run(method, f, {}, w, {});
      ADD_FAILURE() << "no error";
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("100000 weights would take 80 GB; up to 5000"),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(BatchMethods, BadOptionsAreNamed) {
  const auto message = [](const auto& options) -> std::string {
    try {
      options.validate();
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  const std::string line_search = "max_line_search is 0; it must be >= 1";
  EXPECT_EQ(message(DescentOptions{.max_line_search = 0}), line_search);
  EXPECT_EQ(message(ConjugateGradientOptions{.max_line_search = 0}), line_search);
  EXPECT_EQ(message(ConjugateGradientOptions{.probes = 0}), "probes is 0; it must be >= 1");
  EXPECT_EQ(message(ConjugateGradientOptions{.refresh = 0}), "refresh is 0; it must be >= 1");
  EXPECT_EQ(message(TruncatedNewtonOptions{.accuracy = 1}),
            "accuracy is 1; it must be between 0 and 1");
  EXPECT_EQ(message(TruncatedNewtonOptions{.max_products = 0}),
            "max_products is 0; it must be >= 1");
}

TEST(Owlqn, AResumedRunGoesOnToTheSameBits) {
  const auto resumed =
      expect_resumed_runs_to_agree(Vector(15, 0.5), [&](Vector& w, Checkpointer* checkpoints) {
        Random random(6);
        Logistic f(60, 15, random);
        ThreadPool pool(1);
        LbfgsOptions options{.history = 4};
        options.stop = at_gradient(0, 12);
        return owlqn(f, {.l1 = 1, .l2 = 0.1}, w, options, pool, {}, checkpoints);
      });
  EXPECT_EQ(resumed, 11u);
}

}  // namespace
}  // namespace croft::batch_methods_test

// The dual methods on problems whose labellings are written down, one by one: against projected
// gradient ascent on the dual, against L-BFGS on the primal, and against each other.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "croft/core/error.h"
#include "croft/optimize/lbfgs.h"
#include "optimize/dual/dual_methods.h"
#include "optimize/enumerated_dual.h"
#include "optimize/memory_checkpoint.h"
#include "optimize/stochastic/weight_tree.h"

namespace croft::dual_methods_test {
namespace {

using testing_functions::EnumeratedDual;
using testing_functions::EnumeratedExample;
using testing_functions::largest_dual;
using testing_functions::PrimalLoss;
using testing_functions::random_examples;

struct Method {
  std::string name;
  DualLoss loss;
  std::function<OptimizeResult(DualProblem&, const StoppingRule&, const IterationCallback&,
                               Checkpointer*)>
      run;
};

template <class Options, class Function>
Method method(std::string name, DualLoss loss, Options options, Function function) {
  return {std::move(name), loss,
          [=](DualProblem& problem, const StoppingRule& stop, const IterationCallback& callback,
              Checkpointer* checkpoints) {
            Options with = options;
            with.stop = stop;
            return function(problem, with, callback, checkpoints);
          }};
}

std::vector<Method> all_methods() {
  const ExponentiatedGradientOptions batch{.batch = true};
  return {
      method("frank_wolfe", DualLoss::hinge, FrankWolfeOptions{}, frank_wolfe),
      method("frank_wolfe average", DualLoss::hinge, FrankWolfeOptions{.average = true},
             frank_wolfe),
      method("smo", DualLoss::hinge, SmoOptions{}, smo),
      method("eg hinge", DualLoss::hinge, ExponentiatedGradientOptions{}, exponentiated_gradient),
      method("eg hinge batch", DualLoss::hinge, batch, exponentiated_gradient),
      method("sdca", DualLoss::log_loss, SdcaOptions{}, sdca),
      method("sdca uniform", DualLoss::log_loss, SdcaOptions{.uniform = 1, .passes = 2}, sdca),
      method("eg log-loss", DualLoss::log_loss, ExponentiatedGradientOptions{},
             exponentiated_gradient),
      method("eg log-loss batch", DualLoss::log_loss, batch, exponentiated_gradient)};
}

constexpr double kL2 = 0.7;

// The minimum of P, by methods that have nothing to do with those tested.
double minimum(const std::vector<EnumeratedExample>& examples, DualLoss loss) {
  if (loss == DualLoss::hinge) return largest_dual(examples, kL2, 300000);
  PrimalLoss f(examples);
  std::vector<double> w(f.dimension());
  ThreadPool pool;
  LbfgsOptions options;
  options.stop.tolerance = 0;
  options.stop.gradient_tolerance = 1e-9;
  return lbfgs(f, {.l2 = kL2}, w, options, pool).objective;
}

TEST(DualMethods, ReachTheMinimumOfThePrimal) {
  Random random(1);
  const auto examples = random_examples(15, 4, 6, random);
  for (const Method& method : all_methods()) {
    SCOPED_TRACE(method.name);
    EnumeratedDual problem(examples, method.loss, kL2);
    const double least = minimum(examples, method.loss);
    const StoppingRule stop{
        .max_iterations = 100000, .gradient_tolerance = 0, .gap_tolerance = 1e-4};
    const OptimizeResult result = method.run(problem, stop, {}, nullptr);
    EXPECT_EQ(result.reason, StopReason::converged_gap) << result.message;
    EXPECT_NEAR(result.objective, least, 1.01e-4 * least);
    EXPECT_GE(result.objective, least - 1e-6 * least);
  }
}

TEST(DualMethods, CloseTheGapToRounding) {
  Random random(2);
  const auto examples = random_examples(8, 3, 10, random);
  for (const Method& method : all_methods()) {
    if (method.name.starts_with("frank_wolfe")) continue;  // sublinear
    SCOPED_TRACE(method.name);
    EnumeratedDual problem(examples, method.loss, kL2);
    const StoppingRule stop{
        .max_iterations = 20000, .gradient_tolerance = 0, .gap_tolerance = 1e-6};
    const OptimizeResult result = method.run(problem, stop, {}, nullptr);
    EXPECT_EQ(result.reason, StopReason::converged_gap) << result.message;
  }
}

TEST(DualMethods, GapIsAnUpperBoundOfTheErrorAtEveryPass) {
  Random random(3);
  const auto examples = random_examples(12, 5, 5, random);
  for (const Method& method : all_methods()) {
    SCOPED_TRACE(method.name);
    EnumeratedDual problem(examples, method.loss, kL2);
    const double least = minimum(examples, method.loss);
    std::size_t passes = 0;
    const auto check = [&](const Iteration& now) {
      EXPECT_GE(now.gap.value(), 0);
      EXPECT_LE(now.objective - least, *now.gap * std::max(1.0, now.objective) + 1e-6 * least);
      EXPECT_NEAR(now.weight_norm, std::sqrt(dot(now.w, now.w)), 1e-12 * now.weight_norm);
      ++passes;
      return true;
    };
    method.run(problem, {.max_iterations = 30, .gap_tolerance = 0}, check, nullptr);
    EXPECT_GT(passes, 5u);
  }
}

// Sees what a method does to its dual variables, by the moves that it makes.
class Watched : public EnumeratedDual {
 public:
  using EnumeratedDual::EnumeratedDual;
  void reset() override {
    EnumeratedDual::reset();
    mu.assign(samples(), {});
    for (std::size_t n = 0; n < samples(); ++n) {
      mu[n].resize(parts(n));
      gold(n, mu[n]);
    }
  }
  double aim(std::size_t n, std::span<const double> delta) override {
    aimed_ = n;
    delta_.assign(delta.begin(), delta.end());
    return EnumeratedDual::aim(n, delta);
  }
  void move(double scale) override {
    axpy(-scale * l2() / weight(aimed_), delta_, mu[aimed_]);
    EnumeratedDual::move(scale);
  }
  std::vector<std::vector<double>> mu;

 private:
  std::size_t aimed_ = 0;
  std::vector<double> delta_;
};

TEST(DualMethods, GapIsThatOfTheirDualVariables) {
  Random random(4);
  const auto examples = random_examples(10, 4, 6, random);
  for (const Method& method : all_methods()) {
    SCOPED_TRACE(method.name);
    Watched problem(examples, method.loss, kL2);
    const auto check = [&](const Iteration& now) {
      double dual = -0.5 * kL2 * dot(now.w, now.w);
      std::vector<double> w(now.w.size());
      for (std::size_t n = 0; n < examples.size(); ++n) {
        double sum = 0, entropy = 0, cost = 0;
        for (std::size_t y = 0; y < problem.mu[n].size(); ++y) {
          const double p = problem.mu[n][y];
          EXPECT_GE(p, -1e-9);
          sum += p;
          entropy -= p > 0 ? p * std::log(p) : 0;
          cost += p * examples[n].cost[y];
          const double gold = y == examples[n].gold ? 1.0 : 0.0;
          axpy(examples[n].weight / kL2 * (gold - p), examples[n].features[y], w);
        }
        EXPECT_NEAR(sum, 1, 1e-9);
        dual += examples[n].weight * (method.loss == DualLoss::hinge ? cost : entropy);
      }
      for (std::size_t k = 0; k < w.size(); ++k) EXPECT_NEAR(now.w[k], w[k], 1e-8);
      EXPECT_NEAR(*now.gap * std::max(1.0, now.objective), now.objective - dual, 1e-7);
      return true;
    };
    method.run(problem, {.max_iterations = 12, .gap_tolerance = 0}, check, nullptr);
  }
}

TEST(DualMethods, ResumedRunsAgreeToTheLastBit) {
  Random random(5);
  const auto examples = random_examples(9, 4, 5, random);
  for (const Method& method : all_methods()) {
    SCOPED_TRACE(method.name);
    const auto run = [&](std::vector<double>& w, Checkpointer* checkpoints) {
      EnumeratedDual problem(examples, method.loss, kL2);
      const OptimizeResult result =
          method.run(problem, {.max_iterations = 8, .gap_tolerance = 0}, {}, checkpoints);
      w.assign(problem.weights().begin(), problem.weights().end());
      return result;
    };
    EXPECT_GT(expect_resumed_runs_to_agree(std::vector<double>(5), run), 4u);
  }
}

TEST(DualMethods, RefuseTheWrongLoss) {
  Random random(6);
  const auto examples = random_examples(3, 3, 3, random);
  EnumeratedDual hinge(examples, DualLoss::hinge, 1), log_loss(examples, DualLoss::log_loss, 1);
  EXPECT_THROW(sdca(hinge, {}), UsageError);
  EXPECT_THROW(frank_wolfe(log_loss, {}), UsageError);
  EXPECT_THROW(smo(log_loss, {}), UsageError);
  EXPECT_THROW(exponentiated_gradient(log_loss, {.step = 1.5}), UsageError);
  hinge.exact = log_loss.exact = false;
  EXPECT_THROW(smo(hinge, {}), UsageError);
  EXPECT_THROW(sdca(log_loss, {}), UsageError);
}

TEST(DualMethods, NameTheOptionThatIsWrong) {
  const auto message = [](const auto& options) {
    try {
      options.validate();
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(SdcaOptions{.uniform = 1.5}), "uniform is 1.5; it must be from 0 to 1");
  EXPECT_EQ(message(SdcaOptions{.passes = 0}), "passes is 0; it must be >= 1");
  EXPECT_EQ(message(FrankWolfeOptions{.passes = 0}), "passes is 0; it must be >= 1");
  EXPECT_EQ(message(SmoOptions{.pairs = 0}), "pairs is 0; it must be >= 1");
  EXPECT_EQ(message(SmoOptions{.enough = 1}), "enough is 1; it must be >= 0 and < 1");
  EXPECT_EQ(message(ExponentiatedGradientOptions{.step = 0}), "step is 0; it must be > 0");
  EXPECT_EQ(message(ExponentiatedGradientOptions{.growth = 0.5}), "growth is 0.5; it must be >= 1");
  EXPECT_EQ(message(ExponentiatedGradientOptions{.confidence = -1}),
            "confidence is -1; it must be >= 0");
  EXPECT_EQ(message(StoppingRule{.gap_tolerance = -1}), "gap_tolerance is -1; it must be >= 0");
}

// The objective of a dual method may rise, and its gradient_norm is a violation: what stops others
// must not stop it.
TEST(StopTracker, StopsMethodsWithAGapByTheGapOrTheViolation) {
  const StoppingRule rule{
      .tolerance = 0.1, .window = 1, .gradient_tolerance = 0.01, .gap_tolerance = 0.001};
  const IterationCallback none;
  StopTracker tracker(rule, none);
  Iteration now;
  now.objective = 5;
  now.weight_norm = 1000;
  now.gradient_norm = 1;
  now.gap = 0.5;
  EXPECT_FALSE(tracker.stop_at(now));
  EXPECT_FALSE(tracker.stop_at(now));  // no change of the objective
  now.gap = 0.0009;
  EXPECT_TRUE(tracker.stop_at(now));
  EXPECT_EQ(tracker.result().reason, StopReason::converged_gap);
  EXPECT_TRUE(tracker.result().converged());
  now.gap = 0.5;
  now.gradient_norm = 0.009;
  EXPECT_TRUE(tracker.stop_at(now));
  EXPECT_EQ(tracker.result().reason, StopReason::converged_gradient);
}

TEST(WeightTree, DrawsInProportionToTheWeights) {
  WeightTree tree(5);
  tree.set(0, 1);
  tree.set(2, 3);
  tree.set(4, 0.5);
  tree.set(2, 2);
  EXPECT_EQ(tree.total(), 3.5);
  EXPECT_EQ(tree.find(0), 0u);
  EXPECT_EQ(tree.find(0.999), 0u);
  EXPECT_EQ(tree.find(1), 2u);
  EXPECT_EQ(tree.find(2.999), 2u);
  EXPECT_EQ(tree.find(3), 4u);
  EXPECT_EQ(tree.find(3.5), 4u);  // rounded up to the end
  WeightTree one(1);
  one.set(0, 2);
  EXPECT_EQ(one.find(1.5), 0u);
}

}  // namespace
}  // namespace croft::dual_methods_test

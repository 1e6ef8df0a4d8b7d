// The change of variables of the default optimiser: invertible, adjoint, and of help.
#include "train/functions/row_preconditioner.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/optimize/lbfgs.h"
#include "support/naive_features.h"
#include "train/functions/sgd_lbfgs.h"

namespace croft::row_preconditioner_test {
namespace {

using testing_support::random_model;
using testing_support::RandomModel;

RandomModel model_number(std::uint64_t seed) {
  Random random(seed);
  return random_model({.sequences = 30, .max_length = 6, .labels = 4},
                      {seed % 2 == 0 ? FeatureSet::observed : FeatureSet::all, 1, 1}, 0.5, random);
}

std::vector<double> random_vector(std::size_t size, Random& random) {
  std::vector<double> v(size);
  for (double& x : v) x = random.normal();
  return v;
}

TEST(RowPreconditioner, GoesToTheVariablesAndBack) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const RandomModel model = model_number(seed);
    ThreadPool pool;
    ChainBatchFunction<double> f(model.data, model.layout, pool);
    const RowPreconditioner c(model.data, model.layout, f, 0.5, model.w);
    std::vector<double> u(model.w.size()), w(model.w.size());
    c.to_variables(model.w, u);
    c.to_weights(u, w);
    for (std::size_t k = 0; k < w.size(); ++k) EXPECT_NEAR(w[k], model.w[k], 1e-12);
  }
}

TEST(RowPreconditioner, TransposeIsTheAdjoint) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const RandomModel model = model_number(seed);
    ThreadPool pool;
    ChainBatchFunction<double> f(model.data, model.layout, pool);
    const RowPreconditioner c(model.data, model.layout, f, 0.5, model.w);
    Random random(seed);
    const std::vector<double> u = random_vector(model.w.size(), random);
    std::vector<double> g = random_vector(u.size(), random), w(u.size());
    c.to_weights(u, w);
    double before = 0, after = 0;
    for (std::size_t k = 0; k < u.size(); ++k) before += g[k] * w[k];
    c.transpose(g);
    for (std::size_t k = 0; k < u.size(); ++k) after += g[k] * u[k];
    EXPECT_NEAR(before, after, 1e-10 * (1 + std::abs(before)));
  }
}

TEST(PreconditionedFunction, HasTheGradientOfItsValues) {
  const RandomModel model = model_number(3);
  ThreadPool pool;
  ChainBatchFunction<double> whole(model.data, model.layout, pool);
  const RowPreconditioner c(model.data, model.layout, whole, 2, model.w);
  PreconditionedFunction f(whole, c, 2);
  std::vector<double> u(model.w.size()), gradient(u.size()), scratch(u.size());
  c.to_variables(model.w, u);
  f.evaluate(u, gradient);
  constexpr double kStep = 1e-5;
  for (std::size_t k = 0; k < u.size(); ++k) {
    const double at = u[k];
    u[k] = at + kStep;
    const double above = f.evaluate(u, scratch);
    u[k] = at - kStep;
    const double below = f.evaluate(u, scratch);
    u[k] = at;
    EXPECT_NEAR(gradient[k], (above - below) / (2 * kStep), 1e-6 * (1 + std::abs(gradient[k])));
  }
}

// One attribute, two labels, chains of one position: (B.30) is the second derivative itself.
TEST(RowPreconditioner, IsExactForAnAttributeAloneWithTwoLabels) {
  ChainData data;
  for (int n = 0; n < 50; ++n) {
    data.node.id.push_back(0);
    data.node.begin.push_back(data.node.id.size());
    data.label.push_back(n % 5 == 0);
    data.sequence_begin.push_back(data.label.size());
    data.first_line.push_back(0);
  }
  Renumbering renumbering;
  const ChainLayout layout =
      make_chain_layout(data, 2, 1, 0, {.features = FeatureSet::all, .tied_rows = 0}, renumbering);
  ThreadPool pool;
  ChainBatchFunction<double> f(data, layout, pool);
  const std::vector<double> w{0.7, -0.2};
  constexpr double kL2 = 0.5;
  const RowPreconditioner c(data, layout, f, kL2, w);
  PreconditionedFunction g(f, c, kL2);
  std::vector<double> u(2), low(2), high(2);
  c.to_variables(w, u);
  for (std::size_t i = 0; i < 2; ++i) {  // C'(H + l2)C = 1
    const double at = u[i];
    u[i] = at + 1e-5;
    g.evaluate(u, high);
    u[i] = at - 1e-5;
    g.evaluate(u, low);
    u[i] = at;
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR((high[j] - low[j]) / 2e-5, i == j ? 1.0 : 0.0, 1e-3) << i << j;
    }
  }
}

TEST(SgdLbfgs, ReachesTheOptimumOfLbfgs) {
  for (const bool precondition : {false, true}) {
    const RandomModel model = model_number(4);
    ThreadPool pool;
    ChainBatchFunction<double> f(model.data, model.layout, pool);
    const Regulariser l2{.l1 = 0, .l2 = 0.7};
    LbfgsOptions options;
    options.stop = {.max_iterations = 500, .tolerance = 0, .gradient_tolerance = 1e-8};
    std::vector<double> w(f.dimension()), other(f.dimension());
    const OptimizeResult reference = lbfgs(f, l2, other, options, pool);
    const auto samples = [&] {
      return std::make_unique<ChainSampleFunction>(model.data, model.layout, f, 1);
    };
    PreconditionerMaker make;
    if (precondition) {
      make = [&](std::span<const double> at) {
        return std::make_unique<RowPreconditioner>(model.data, model.layout, f, l2.l2, at);
      };
    }
    std::size_t iterations = 0;
    const auto see = [&](const Iteration& now) {
      EXPECT_EQ(now.number, iterations++);
      EXPECT_EQ(now.w.data(), w.data());
      return true;
    };
    const OptimizeResult result =
        sgd_lbfgs(f, samples, make, l2, w, {.passes = 4, .lbfgs = options}, pool, see);
    EXPECT_NEAR(result.objective, reference.objective, 1e-8);
    EXPECT_EQ(result.iterations + 1, iterations);
    for (std::size_t k = 0; k < w.size(); ++k) EXPECT_NEAR(w[k], other[k], 1e-5);
  }
}

}  // namespace
}  // namespace croft::row_preconditioner_test

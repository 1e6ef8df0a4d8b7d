// Sequence by sequence against all the data at once; the second derivative against differences.
#include "train/functions/chain_sample_function.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "objective/chain_objectives.h"
#include "support/naive_features.h"

namespace croft::chain_sample_function_test {
namespace {

using testing_support::DataShape;
using testing_support::random_model;
using testing_support::RandomModel;

struct Sums {
  double value = 0;
  std::vector<double> gradient;  // in the layout's order
};

Sums add_samples(ChainSampleFunction& f, std::span<const double> w, std::size_t dimension) {
  std::vector<double> space(f.dimension()), total(f.dimension()), own(f.dimension());
  f.scorer().expand(w, space);
  Sums sums;
  for (std::size_t n = 0; n < f.samples(); ++n) {
    const std::span<const croft::Run> view = f.support(n, 0);
    const std::vector<croft::Run> support(view.begin(), view.end());
    const SampleFunction::Sample sample = f.evaluate_sample(n, space, own, 0);
    sums.value += sample.value;
    std::size_t at = 0;
    for (const croft::Run& run : support) {
      for (std::uint64_t k = run.begin; k < run.begin + run.length; ++k) {
        total[k] += sample.active ? own[at] : 0.0;
        ++at;
      }
    }
  }
  sums.gradient.resize(dimension);
  f.scorer().compress(total, sums.gradient);
  // Nothing but features has a derivative.
  std::vector<double> features(f.dimension());
  f.scorer().expand(sums.gradient, features);
  EXPECT_EQ(features, total);
  return sums;
}

void expect_near(const Sums& a, double value, std::span<const double> gradient) {
  EXPECT_NEAR(a.value, value, 1e-10 * (1 + std::abs(value)));
  ASSERT_EQ(a.gradient.size(), gradient.size());
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    ASSERT_NEAR(a.gradient[k], gradient[k], 1e-10 * (1 + std::abs(value))) << "weight " << k;
  }
}

// evaluate_sparse() against evaluate_sample(), with every number where it belongs.
void expect_the_same_when_sparse(ChainSampleFunction& f, std::span<const double> space) {
  std::vector<double> own(f.dimension());
  SparseVector sparse(f.dimension());
  for (std::size_t n = 0; n < f.samples(); ++n) {
    const SampleFunction::Sample dense = f.evaluate_sample(n, space, own, 0);
    std::vector<double> rest(f.dimension());
    std::size_t at = 0;
    for (const croft::Run& run : f.support(n, 0)) {
      for (std::uint64_t k = run.begin; k < run.begin + run.length; ++k, ++at) {
        rest[k] = dense.active ? own[at] : 0.0;
      }
    }
    const SampleFunction::Sample sample = f.evaluate_sparse(n, space, sparse, 0);
    EXPECT_EQ(sample.value, dense.value);
    EXPECT_EQ(sample.active, dense.active);
    for (const auto& [k, g] : sparse.entries()) rest[k] -= g;
    for (const double r : rest) ASSERT_NEAR(r, 0, 1e-12 * (1 + std::abs(dense.value)));
  }
}

class SampleFunctions : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    Random random(static_cast<std::uint64_t>(GetParam()) + 1);
    DataShape shape;
    shape.labels = 2 + random.below(9);
    shape.edge = GetParam() % 2 == 0 ? 0.5 : 0;
    shape.values = GetParam() % 3 != 0;
    model_ = random_model(
        shape, {GetParam() % 4 < 2 ? FeatureSet::observed : FeatureSet::all, 1, 1}, 0.7, random);
  }
  RandomModel model_;
};

TEST_P(SampleFunctions, AddUpToTheFunctionOfAllTheData) {
  ThreadPool pool;
  ChainBatchFunction<double> whole(model_.data, model_.layout, pool);
  ChainSampleFunction f(model_.data, model_.layout, whole, 1);
  std::vector<double> gradient(whole.dimension());
  const double value = whole.evaluate(model_.w, gradient);
  expect_near(add_samples(f, model_.w, whole.dimension()), value, gradient);
}

TEST_P(SampleFunctions, HaveTheSameGradientInFewNumbers) {
  ThreadPool pool;
  ChainBatchFunction<double> whole(model_.data, model_.layout, pool);
  const LabelCost cost = hamming_cost(model_.layout.labels, 1);
  const auto hinge = [&] { return std::make_unique<ChainHinge<double>>(cost); };
  ChainSampleFunction smooth(model_.data, model_.layout, whole, 1);
  ChainSampleFunction margin(model_.data, model_.layout, whole, 1, hinge);
  std::vector<double> space(smooth.dimension());
  smooth.scorer().expand(model_.w, space);
  expect_the_same_when_sparse(smooth, space);
  expect_the_same_when_sparse(margin, space);
  WeightPrior prior;
  Random random(11);
  for (std::size_t k = 0; k < model_.w.size(); ++k) prior.scale.push_back(0.5 + random.uniform());
  margin.set_prior(prior);
  expect_the_same_when_sparse(margin, space);
}

TEST_P(SampleFunctions, EvaluateTheWholeInTheirOwnSpace) {
  ThreadPool pool;
  ChainBatchFunction<double> whole(model_.data, model_.layout, pool);
  ChainSampleFunction f(model_.data, model_.layout, whole, 1);
  std::vector<double> space(f.dimension()), g(f.dimension()), gradient(whole.dimension()),
      back(whole.dimension());
  f.scorer().expand(model_.w, space);
  f.scorer().compress(space, back);
  EXPECT_EQ(back, model_.w);
  const double value = f.evaluate(space, g);
  EXPECT_EQ(value, whole.evaluate(model_.w, gradient));
  f.scorer().compress(g, back);
  EXPECT_EQ(back, gradient);
}

TEST_P(SampleFunctions, SeeTheVariablesOfAPrior) {
  ThreadPool pool;
  ChainBatchFunction<double> whole(model_.data, model_.layout, pool);
  ChainSampleFunction f(model_.data, model_.layout, whole, 1);
  WeightPrior prior;
  Random random(9);
  std::vector<double> u(model_.w.size());
  for (std::size_t k = 0; k < u.size(); ++k) {
    prior.mean.push_back(random.normal());
    prior.scale.push_back(0.5 + random.uniform());
    u[k] = prior.variable(k, model_.w[k]);
  }
  f.set_prior(prior);
  PriorFunction reference(whole, prior);
  std::vector<double> gradient(u.size());
  const double value = reference.evaluate(u, gradient);
  expect_near(add_samples(f, u, u.size()), value, gradient);
  std::vector<double> space(f.dimension()), g(f.dimension());
  f.scorer().expand(u, space);
  EXPECT_NEAR(f.evaluate(space, g), value, 1e-10 * (1 + std::abs(value)));
}

TEST_P(SampleFunctions, RankLabellingsByLossAndScore) {
  ThreadPool pool;
  ChainBatchFunction<double> whole(model_.data, model_.layout, pool);
  ChainSampleFunction f(model_.data, model_.layout, whole, 1);
  const LabelCost cost = hamming_cost(model_.layout.labels, 1);
  f.set_cost(cost);
  std::vector<double> space(f.dimension());
  f.scorer().expand(model_.w, space);
  constexpr std::size_t kMost = 4;
  for (std::size_t n = 0; n < f.samples(); ++n) {
    const std::span<const croft::Run> view = f.support(n, 0);
    const std::vector<croft::Run> support(view.begin(), view.end());
    std::size_t size = 0;
    for (const croft::Run& run : support) size += run.length;
    std::vector<double> value(kMost), loss(kMost), gradient(kMost * size);
    const std::size_t found = f.evaluate_ranked(n, space, kMost, value, loss, gradient, 0);
    ASSERT_GE(found, 1u);
    for (std::size_t k = 0; k < found; ++k) {
      EXPECT_GE(loss[k], model_.data.sequence_weight(n));
      if (k > 0) {
        EXPECT_LE(value[k], value[k - 1] + 1e-12);
      }
      double product = 0;
      std::size_t at = k * size;
      for (const croft::Run& run : support) {
        for (std::uint64_t c = run.begin; c < run.begin + run.length; ++c) {
          product += space[c] * gradient[at++];
        }
      }
      EXPECT_NEAR(value[k], loss[k] + product, 1e-9 * (1 + std::abs(value[k])));
    }
  }
}

TEST_P(SampleFunctions, ProductsWithTheHessianAreDifferencesOfGradients) {
  ThreadPool pool(2);
  ChainBatchFunction<double> f(model_.data, model_.layout, pool);
  const std::size_t d = f.dimension();
  Random random(3);
  std::vector<double> v(d), product(d), above(d), below(d), w(model_.w);
  for (double& x : v) x = random.normal();
  f.evaluate(w, above);
  f.hessian_product(v, product);
  constexpr double kStep = 1e-5;
  for (std::size_t k = 0; k < d; ++k) w[k] = model_.w[k] + kStep * v[k];
  f.evaluate(w, above);
  for (std::size_t k = 0; k < d; ++k) w[k] = model_.w[k] - kStep * v[k];
  f.evaluate(w, below);
  double largest = 1;
  for (const double p : product) largest = std::max(largest, std::abs(p));
  for (std::size_t k = 0; k < d; ++k) {
    ASSERT_NEAR(product[k], (above[k] - below[k]) / (2 * kStep), 1e-6 * largest) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(RandomModels, SampleFunctions, ::testing::Range(0, 24));

TEST(PerceptronSamples, MoveFromZeroWhereTheBestLabellingIsNotTheGoldOne) {
  Random random(5);
  const RandomModel model = random_model({}, {FeatureSet::all, 1, 1}, 0, random);
  ThreadPool pool;
  const auto make = [] { return std::make_unique<ChainHinge<double>>(); };
  ChainBatchFunction<double> whole(model.data, model.layout, pool, make);
  ChainSampleFunction f(model.data, model.layout, whole, 1, make);
  std::vector<double> w(f.dimension()), gradient(f.dimension());
  std::size_t moved = 0, wrong = 0;
  for (std::size_t n = 0; n < f.samples(); ++n) {
    moved += f.evaluate_sample(n, w, gradient, 0).active;
    const std::span<const Label> y = model.data.gold(n).known;
    wrong += std::ranges::any_of(y, [](Label j) { return j != 0; });
  }
  EXPECT_EQ(moved, wrong);
  EXPECT_GT(moved, 0u);
}

}  // namespace
}  // namespace croft::chain_sample_function_test

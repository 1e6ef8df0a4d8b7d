// When an objective goes on in double, with functions that say what they are asked; and what a real
// one says of its sums.
#include "train/functions/changing_precision.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/objective/likelihood.h"
#include "support/naive_features.h"

namespace croft::changing_precision_test {
namespace {

using testing_support::random_model;
using testing_support::RandomModel;

// Value and derivative are `constant`; the share of slow sums comes from outside.
class Constant : public ChainFunction {
 public:
  Constant(double constant, const double& slow) : constant_(constant), slow_(slow) {}
  std::size_t dimension() const override { return 1; }
  double evaluate(std::span<const double>, std::span<double> gradient) override {
    return gradient[0] = constant_;
  }
  double evaluate(std::span<const double> w, std::span<double> gradient, std::size_t,
                  Matrix<float>&) override {
    return evaluate(w, gradient);
  }
  void hessian_product(std::span<const double>, std::span<double>) override {}
  double slow_share() const override { return slow_; }

 private:
  double constant_;
  const double& slow_;
};

TEST(ChangingPrecision, StaysWhereFewSumsAreSlowAndChangesOnceWhereManyAre) {
  double slow = 0;
  std::size_t made = 0;
  ChangingPrecision f(std::make_unique<Constant>(1, slow), [&] {
    ++made;
    return std::make_unique<Constant>(2, slow);
  });
  const std::vector<double> w(1);
  std::vector<double> gradient(1);
  EXPECT_EQ(f.dimension(), 1u);
  EXPECT_EQ(f.evaluate(w, gradient), 1);
  slow = kMostSlow;
  EXPECT_EQ(f.evaluate(w, gradient), 1);
  EXPECT_FALSE(f.is_wide());
  slow = kMostSlow + 0.01;
  Matrix<float> d_state;
  EXPECT_EQ(f.evaluate(w, gradient, 0, d_state), 2);
  EXPECT_TRUE(f.is_wide());
  slow = 0;
  EXPECT_EQ(f.evaluate(w, gradient), 2);
  EXPECT_EQ(gradient[0], 2);
  slow = 1;
  EXPECT_EQ(f.evaluate(w, gradient), 2);
  EXPECT_EQ(made, 1u);
}

// Weights of some tens, and histories that do not exist: single precision alone cannot do it.
TEST(ChangingPrecision, AFunctionCountsTheSumsThatWereTooMuchForSinglePrecision) {
  Random random(1);
  RandomModel model =
      random_model({.sequences = 40, .min_length = 3, .max_length = 12, .labels = 5},
                   {FeatureSet::observed, 1, 1}, 1, random);
  model.layout.histories = choose_histories(model.data, 5, {.order = 2});
  model.w.resize(model.layout.dimension());
  ThreadPool pool(1);
  ChainBatchFunction<float> narrow(model.data, model.layout, pool);
  ChainBatchFunction<double> wide(model.data, model.layout, pool);
  std::vector<double> gradient(model.w.size()), exact(model.w.size());
  narrow.evaluate(model.w, gradient);
  EXPECT_EQ(narrow.slow_share(), 0);
  for (double& w : model.w) w *= 15;
  const double value = narrow.evaluate(model.w, gradient);
  EXPECT_GT(narrow.slow_share(), 0.2);
  EXPECT_LE(narrow.slow_share(), 1);
  EXPECT_NEAR(value, wide.evaluate(model.w, exact), 1e-5 * std::abs(value));
  EXPECT_LT(wide.slow_share(), 0.05);
  for (std::size_t k = 0; k < exact.size(); ++k) EXPECT_NEAR(gradient[k], exact[k], 2e-3);
}

}  // namespace
}  // namespace croft::changing_precision_test

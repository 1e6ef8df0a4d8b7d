// The local likelihood against its definition, central differences and the likelihood.
#include "objective/chain_objectives.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "core/simd.h"
#include "support/local_objectives.h"

namespace croft::local_likelihood_test {
namespace {

using namespace testing_support;

// -sum_t log p(y_t | y_{t-1}), each a softmax over the labels at t.
double by_definition(const ChainScores<double>& scores, const std::vector<Label>& y) {
  double loss = 0;
  for (std::size_t t = 0; t < y.size(); ++t) {
    const auto score_at = [&](Label j) {
      return static_cast<long double>(scores.state(t, j)) +
             (t > 0 ? scores.edge(t, y[t - 1], j) : 0.0);
    };
    long double sum = 0;
    for (Label j = 0; j < scores.labels(); ++j) sum += std::exp(score_at(j) - score_at(y[t]));
    loss += static_cast<double>(std::log(sum));
  }
  return loss;
}

TEST(LocalLikelihood, IsEachLabelGivenTheOneBefore) {
  LocalLikelihood<double> objective;
  expect_definition(objective, by_definition, 1);
}

RC_GTEST_PROP(LocalLikelihood, GradientIsTheCentralDifference, ()) {
  LocalLikelihood<double> objective;
  expect_gradient(objective, *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(LocalLikelihood, FloatIsNearDouble) {
  LocalLikelihood<float> narrow;
  LocalLikelihood<double> wide;
  expect_float_near_double(narrow, wide, 2e-5, 2);
}

TEST(LocalLikelihood, OfOnePositionIsTheLikelihood) {
  LocalLikelihood<double> objective;
  expect_likelihood_of_one_position(objective, 3);
}

}  // namespace
}  // namespace croft::local_likelihood_test

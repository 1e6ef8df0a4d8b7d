// The pseudo-likelihood against its definition, central differences and the likelihood.
#include "objective/chain_objectives.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "core/simd.h"
#include "support/local_objectives.h"

namespace croft::pseudo_likelihood_test {
namespace {

using namespace testing_support;

// -sum_t log p(y_t | all others): ratios of whole labellings' scores.
double by_definition(const ChainScores<double>& scores, const std::vector<Label>& y) {
  double loss = 0;
  for (std::size_t t = 0; t < y.size(); ++t) {
    long double sum = 0;
    std::vector<Label> other = y;
    for (other[t] = 0; other[t] < scores.labels(); ++other[t]) {
      sum += std::exp(static_cast<long double>(score<double>(scores, other)) -
                      score<double>(scores, y));
    }
    loss += static_cast<double>(std::log(sum));
  }
  return loss;
}

TEST(PseudoLikelihood, IsEachLabelGivenAllOthers) {
  PseudoLikelihood<double> objective;
  expect_definition(objective, by_definition, 1);
}

RC_GTEST_PROP(PseudoLikelihood, GradientIsTheCentralDifference, ()) {
  PseudoLikelihood<double> objective;
  expect_gradient(objective, *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(PseudoLikelihood, FloatIsNearDouble) {
  PseudoLikelihood<float> narrow;
  PseudoLikelihood<double> wide;
  expect_float_near_double(narrow, wide, 2e-5, 2);
}

TEST(PseudoLikelihood, OfOnePositionIsTheLikelihood) {
  PseudoLikelihood<double> objective;
  expect_likelihood_of_one_position(objective, 3);
}

TEST(PseudoLikelihood, WithoutEdgesIsTheLikelihood) {
  Random random(4);
  PseudoLikelihood<double> objective;
  ChainLikelihood<double> likelihood;
  const auto y = random_labels(40, 5, random);
  auto chain = random_chain<double>({40, 5, 3, 0, 0, false}, random);
  chain.transitions->assign(Matrix<double>(5, 5, 0.25));
  const auto a = evaluate<double>(objective, chain, y), b = evaluate<double>(likelihood, chain, y);
  ASSERT_NEAR(a.value, b.value, 1e-11);
  for (std::size_t k = 0; k < 40 * 5; ++k) ASSERT_NEAR(a.gradient[k], b.gradient[k], 1e-13);
}

TEST(PseudoLikelihood, ForbiddenGoldIsInfinite) {
  PseudoLikelihood<float> narrow;
  PseudoLikelihood<double> wide;
  expect_forbidden_gold_is_infinite(narrow);
  expect_forbidden_gold_is_infinite(wide);
}

// Offsets of 1e5 in one position or in all tied edges cancel against those of the gold label.
TEST(PseudoLikelihood, LargeOffsetsCancel) {
  Random random(5);
  const auto y = random_labels(20, 4, random);
  const auto chain = random_chain<double>({20, 4, 2, 0, 0, false}, random);
  auto shifted = map_scores(chain, [](double value) { return std::round(value * 64) / 64; });
  PseudoLikelihood<float> objective;
  const auto before = evaluate<float>(objective, narrow(shifted), y);
  shifted = map_scores(shifted, [](double value) { return value + 65536; });
  const auto after = evaluate<float>(objective, narrow(shifted), y);
  EXPECT_NEAR(after.value, before.value, 1e-4);
  for (std::size_t k = 0; k < before.gradient.size(); ++k) {
    EXPECT_NEAR(after.gradient[k], before.gradient[k], 1e-5);
  }
}

TEST(PseudoLikelihood, EveryTargetAgrees) {
  Random random(6);
  const auto y = random_labels(25, 22, random);
  const auto chain = any_chain(25, 22, 3, y, random);
  PseudoLikelihood<double> objective;
  const auto first = evaluate<double>(objective, chain, y);
  for (const std::string& target : simd_targets()) {
    SCOPED_TRACE(target);
    force_simd_target(target);
    expect_near(evaluate<double>(objective, chain, y), first, 1e-12);
  }
  force_simd_target(simd_targets().front());
}

}  // namespace
}  // namespace croft::pseudo_likelihood_test

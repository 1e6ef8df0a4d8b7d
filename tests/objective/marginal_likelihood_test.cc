// The marginal likelihood against enumeration, clamped forward-backwards and central differences.
#include "objective/chain_objectives.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "croft/inference/brute_force.h"
#include "croft/objective/likelihood.h"
#include "objective/enumerated_loss.h"
#include "objective/objective_checks.h"

namespace croft::marginal_likelihood_test {
namespace {

using namespace testing_support;

constexpr double kInf = std::numeric_limits<double>::infinity();

// T forward-backwards: the likelihood of what is known of one position, and nothing of the others.
template <class Real>
Evaluation<double> clamped(const RandomChain<Real>& chain, const Gold& gold) {
  ChainLikelihood<Real> likelihood;
  Evaluation<double> sum{0, {}};
  for (std::size_t t = 0; t < gold.length(); ++t) {
    std::vector<Label> one(gold.length(), kAnyLabel);
    one[t] = gold.known[t];
    const auto part = evaluate<Real>(likelihood, chain, {one, gold.sets});
    sum.value += part.value;
    sum.gradient.resize(part.gradient.size());
    for (std::size_t k = 0; k < part.gradient.size(); ++k) sum.gradient[k] += part.gradient[k];
  }
  return sum;
}

TEST(MarginalLikelihood, IsTClampedForwardBackwards) {
  Random random(1);
  MarginalLikelihood<double> objective;
  std::size_t partial = 0;
  for (int repeat = 0; repeat < 120; ++repeat) {
    const std::size_t length = 1 + random.below(40), labels = 1 + random.below(12);
    const auto y = random_labels(length, labels, random);
    const auto chain = any_chain(length, labels, repeat % 2 + 1.0, y, random);
    expect_near(evaluate<double>(objective, chain, y), clamped(chain, y), 1e-10);
    const RandomGold gold = random_gold(length, labels, random);
    const Evaluation<double> truth = clamped(chain, gold.view());
    if (std::isinf(truth.value)) continue;
    ++partial;
    expect_near(evaluate<double>(objective, chain, gold.view()), truth, 1e-10);
  }
  EXPECT_GT(partial, 40u);
}

TEST(MarginalLikelihood, IsTheProductOfTheMarginalsByEnumeration) {
  Random random(2);
  MarginalLikelihood<double> objective;
  for (int repeat = 0; repeat < 60; ++repeat) {
    const std::size_t length = 1 + random.below(5), labels = 1 + random.below(4);
    const auto y = random_labels(length, labels, random);
    const auto chain = any_chain(length, labels, 2, y, random);
    const BruteForceResult mu = brute_force(densify(chain).scores);
    double truth = 0;
    for (std::size_t t = 0; t < length; ++t) truth -= std::log(mu.state(t, y[t]));
    ASSERT_NEAR(evaluate<double>(objective, chain, y, 3).value, 3 * truth, 1e-11 * (1 + truth));
  }
}

RC_GTEST_PROP(MarginalLikelihood, GradientIsTheCentralDifference, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const std::size_t length = 1 + random.below(5), labels = 1 + random.below(4);
  const auto y = random_labels(length, labels, random);
  MarginalLikelihood<double> objective;
  const auto chain = any_chain(length, labels, 2, y, random);
  expect_central_differences(objective, chain, y, 0.7);
  const std::vector<Label> known(length, kAnyLabel);
  EXPECT_EQ(evaluate<double>(objective, chain, known).value, 0);
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(MarginalLikelihood, OfOnePositionIsTheLikelihood) {
  Random random(3);
  MarginalLikelihood<double> objective;
  ChainLikelihood<double> likelihood;
  const std::vector<Label> y{2};
  const auto chain = random_chain<double>({1, 5, 3, 0, 0, false}, random);
  expect_near(evaluate<double>(objective, chain, y), evaluate<double>(likelihood, chain, y), 1e-14);
}

// Gold marginals from e^-20 to e^-4000: what the scaled path keeps, what only the log domain does.
TEST(MarginalLikelihood, TinyMarginalsKeepTheirDigits) {
  Random random(4);
  MarginalLikelihood<double> objective;
  std::size_t slow = 0;
  for (const double lead : {20.0, 60.0, 300.0, 1e3, 4e3}) {
    const auto y = random_labels(12, 4, random);
    auto chain = random_chain<double>({12, 4, 1, 0, 0.3, false}, random);
    for (const std::size_t t : {3, 4, 8}) {
      for (Label j = 0; j < 4; ++j) chain.scores.state(t, j) -= j == y[t] ? lead : 0;
    }
    const auto here = evaluate<double>(objective, chain, y);
    EXPECT_GT(here.value, 2.5 * lead);
    const auto truth = clamped(chain, y);
    ASSERT_NEAR(here.value, truth.value, 1e-12 * here.value);
    for (std::size_t k = 0; k < here.gradient.size(); ++k) {
      ASSERT_NEAR(here.gradient[k], truth.gradient[k], 1e-10) << lead << ' ' << k;
    }
    EXPECT_EQ(objective.slow() > slow, lead > 59) << lead;
    slow = objective.slow();
  }
}

TEST(MarginalLikelihood, FloatIsNearDouble) {
  Random random(5);
  MarginalLikelihood<float> narrow;
  MarginalLikelihood<double> wide;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto y = random_labels(50, 9, random);
    expect_float_near_double(narrow, wide, any_chain(50, 9, 2, y, random), y, 1e-6);
  }
}

TEST(MarginalLikelihood, ForbiddenLabelsAreInfinite) {
  Random random(6);
  MarginalLikelihood<double> objective;
  const std::vector<Label> y{0, 1, 2};
  auto chain = random_chain<double>({3, 3, 1, 0, 0, false}, random);
  EXPECT_LT(evaluate<double>(objective, chain, y).value, kInf);
  chain.scores.state(1, 1) = -kInf;
  EXPECT_EQ(evaluate<double>(objective, chain, y).value, kInf);
  for (Label j = 0; j < 3; ++j) chain.scores.state(1, j) = -kInf;
  EXPECT_EQ(evaluate<double>(objective, chain, y).value, kInf) << "nothing is allowed";
}

// The gold labelling may be forbidden as a whole while each of its labels is possible.
TEST(MarginalLikelihood, AForbiddenGoldEdgeIsNotInfinite) {
  Random random(7);
  MarginalLikelihood<double> objective;
  const std::vector<Label> y{0, 1, 2};
  auto chain = random_chain<double>({3, 3, 1, 0, 0, false}, random);
  Matrix<double> log = chain.transitions->log();
  log(0, 1) = -kInf;
  chain.transitions->assign(std::move(log));
  expect_near(evaluate<double>(objective, chain, y), clamped(chain, y), 1e-12);
}

TEST(MarginalLikelihood, IsLinearInTheLength) {
  Random random(8);
  MarginalLikelihood<double> objective;
  const auto y = random_labels(200000, 3, random);  // T forward-backwards would take days
  const auto chain = random_chain<double>({200000, 3, 1, 0, 0, false}, random);
  const auto here = evaluate<double>(objective, chain, y);
  EXPECT_TRUE(std::isfinite(here.value));
  double rows = 0;  // every position's derivatives sum to 0
  for (std::size_t t = 0; t < 200000; ++t) {
    rows = std::max(
        rows, std::abs(here.gradient[3 * t] + here.gradient[3 * t + 1] + here.gradient[3 * t + 2]));
  }
  EXPECT_LT(rows, 1e-12);
}

}  // namespace
}  // namespace croft::marginal_likelihood_test

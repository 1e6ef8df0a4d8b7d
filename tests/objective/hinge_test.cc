// Max-margin and the perceptron against enumeration, central differences and by hand.
#include "objective/chain_objectives.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "croft/inference/brute_force.h"
#include "objective/enumerated_loss.h"
#include "objective/objective_checks.h"

namespace croft::hinge_test {
namespace {

using namespace testing_support;

TEST(ChainHinge, IsTheLargestMarginByEnumeration) {
  Random random(1);
  std::size_t zero = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const std::size_t length = random.below(6), labels = 1 + random.below(4);
    const auto y = random_labels(length, labels, random);
    const auto chain = any_chain(length, labels, 2, y, random);
    const LabelCost cost = random_cost(labels, random);
    const bool perceptron = repeat % 2 == 0;
    ChainHinge<double> objective = perceptron ? ChainHinge<double>() : ChainHinge<double>(cost);
    double truth = 0;
    for_each_labelling(densify(chain).scores, [&](const std::vector<Label>& other, long double s) {
      const double margin = static_cast<double>(s) - score<double>(chain.scores, y) +
                            (perceptron ? 0 : cost_of(cost, y, other));
      truth = std::max(truth, margin);
    });
    const auto here = evaluate<double>(objective, chain, y, 2);
    ASSERT_NEAR(here.value, 2 * truth, 1e-12 * (1 + truth));
    EXPECT_EQ(objective.moved(), here.value > 0);
    zero += here.value == 0;
    if (here.value == 0) {
      for (const double g : here.gradient) ASSERT_EQ(g, 0);
      EXPECT_TRUE(std::ranges::equal(objective.best(), y));
    }
    // (V.11): the gradient is 1[y^] - 1[y], so its product with the scores is the difference.
    double product = 0;
    const std::vector<double> scores = numbers_of(chain);
    for (std::size_t k = 0; k < scores.size(); ++k) {
      if (here.gradient[k] != 0) product += here.gradient[k] * scores[k];
    }
    const std::vector<Label> best(objective.best().begin(), objective.best().end());
    ASSERT_NEAR(product, 2 * (score<double>(chain.scores, best) - score<double>(chain.scores, y)),
                1e-11);
  }
  EXPECT_GT(zero, 20u);
  EXPECT_LT(zero, 280u);
}

// How far the best labelling is ahead of the next one.
double lead(const RandomChain<double>& chain, const std::vector<Label>& y, const LabelCost& cost) {
  double best = -std::numeric_limits<double>::infinity(), next = best;
  for_each_labelling(densify(chain).scores, [&](const std::vector<Label>& other, long double s) {
    const double value = static_cast<double>(s) + cost_of(cost, y, other);
    next = std::max(next, std::min(best, value));
    best = std::max(best, value);
  });
  return best - next;
}

RC_GTEST_PROP(ChainHinge, GradientIsTheCentralDifferenceAwayFromTies, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const std::size_t length = 1 + random.below(5), labels = 1 + random.below(4);
  const auto y = random_labels(length, labels, random);
  const auto chain = any_chain(length, labels, 2, y, random);
  const LabelCost cost = hamming_cost(labels, 1), nothing = hamming_cost(labels, 0);
  RC_PRE(lead(chain, y, cost) > 1e-3 && lead(chain, y, nothing) > 1e-3);
  ChainHinge<double> margin(cost), perceptron;
  expect_central_differences(margin, chain, y, 0.7);
  expect_central_differences(perceptron, chain, y, 0.7);
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(ChainHinge, WithACostOfZeroIsThePerceptron) {
  Random random(2);
  const LabelCost nothing = hamming_cost(6, 0);
  ChainHinge<double> margin(nothing), perceptron;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto y = random_labels(30, 6, random);
    const auto chain = any_chain(30, 6, 2, y, random);
    const auto a = evaluate<double>(margin, chain, y), b = evaluate<double>(perceptron, chain, y);
    EXPECT_EQ(a.value, b.value);
    EXPECT_EQ(a.gradient, b.gradient);
  }
}

// max <= log sum exp <= max + log of the number of labellings.
TEST(ChainHinge, IsTheHardSoftmaxMargin) {
  Random random(3);
  const LabelCost cost = hamming_cost(3, 2);
  for (int repeat = 0; repeat < 30; ++repeat) {
    const auto y = random_labels(8, 3, random);
    const auto chain = any_chain(8, 3, 2, y, random);
    ChainHinge<double> hard(cost);
    SoftmaxMargin<double> soft(cost);
    const double margin = evaluate<double>(hard, chain, y).value;
    EXPECT_LE(margin, evaluate<double>(soft, chain, y).value + 1e-12);
    EXPECT_GE(margin + 8 * std::log(3), evaluate<double>(soft, chain, y).value);
  }
}

TEST(ChainHinge, ByHand) {
  // Two positions, two labels: gold 0 0; the best labelling is 1 0 by one nat.
  RandomChain<double> chain;
  chain.transitions = std::make_unique<TransitionScores<double>>(2);
  chain.scores.reset(2, *chain.transitions);
  chain.scores.state(0, 1) = 1;
  const std::vector<Label> y{0, 0};
  ChainHinge<double> perceptron;
  const auto plain = evaluate<double>(perceptron, chain, y);
  EXPECT_EQ(plain.value, 1);
  // States of 0, of 1; transitions 00, 01, 10, 11.
  EXPECT_EQ(plain.gradient, (std::vector<double>{-1, 1, 0, 0, -1, 0, 1, 0}));
  const LabelCost cost = hamming_cost(2, 0.5);
  ChainHinge<double> margin(cost);  // 1 1 costs half a nat more, and so wins
  const auto rescaled = evaluate<double>(margin, chain, y);
  EXPECT_EQ(rescaled.value, 2);
  EXPECT_EQ(rescaled.gradient, (std::vector<double>{-1, 1, -1, 1, -1, 0, 0, 1}));
}

TEST(ChainHinge, StatesOfALongerHistoryCostWhatTheirLabelsDo) {
  Random random(4);
  const std::vector<Label> label_of{0, 0, 1, 2, 2};
  const LabelCost cost = random_cost(3, random);
  Matrix<double> lifted(5, 5, 0.0);
  for (Label g = 0; g < 5; ++g) {
    for (Label j = 0; j < 5; ++j) lifted(g, j) = cost(label_of[g], label_of[j]);
  }
  const LabelCost of_states = label_cost(lifted);
  ChainHinge<double> a(cost, label_of), b(of_states);
  for (int repeat = 0; repeat < 10; ++repeat) {
    const auto y = random_labels(9, 5, random);
    const auto chain = any_chain(9, 5, 1, y, random);
    const auto left = evaluate<double>(a, chain, y), right = evaluate<double>(b, chain, y);
    EXPECT_EQ(left.value, right.value);
    EXPECT_EQ(left.gradient, right.gradient);
  }
}

TEST(ChainHinge, FloatIsNearDouble) {
  Random random(5);
  const LabelCost cost = hamming_cost(9, 1);
  ChainHinge<float> narrow(cost);
  ChainHinge<double> wide(cost);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto y = random_labels(50, 9, random);
    expect_float_near_double(narrow, wide, any_chain(50, 9, 2, y, random), y, 1e-6);
  }
}

TEST(ChainHinge, ForbiddenGoldIsInfinite) {
  ChainHinge<float> narrow;
  const LabelCost cost = hamming_cost(3, 1);
  ChainHinge<double> wide(cost);
  expect_forbidden_gold_is_infinite(narrow);
  expect_forbidden_gold_is_infinite(wide);
}

}  // namespace
}  // namespace croft::hinge_test

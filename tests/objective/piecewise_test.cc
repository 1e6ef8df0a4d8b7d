// Piecewise training against its definition, central differences and the bound that it is.
#include "croft/objective/piecewise.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "croft/objective/likelihood.h"
#include "objective/objective_checks.h"

namespace croft {
namespace {

using namespace testing_support;

double by_definition(const ChainScores<double>& scores, const std::vector<Label>& y) {
  double loss = 0;
  for (std::size_t t = 0; t < y.size(); ++t) {
    double node = 0, edge = 0;
    for (Label j = 0; j < scores.labels(); ++j) {
      node += std::exp(scores.state(t, j));
      for (Label i = 0; t > 0 && i < scores.labels(); ++i) edge += std::exp(scores.edge(t, i, j));
    }
    loss += std::log(node) - scores.state(t, y[t]);
    if (t > 0) loss += std::log(edge) - scores.edge(t, y[t - 1], y[t]);
  }
  return loss;
}

TEST(Piecewise, IsItsDefinition) {
  Random random(1);
  Piecewise<double> objective;
  for (std::size_t length = 0; length <= 6; ++length) {
    for (std::size_t labels = 1; labels <= 9; labels += 2) {
      for (int repeat = 0; repeat < 8; ++repeat) {
        const auto y = random_labels(length, labels, random);
        const auto chain = any_chain(length, labels, 3, y, random);
        const double truth = by_definition(chain.scores, y);
        ASSERT_NEAR(evaluate<double>(objective, chain, y, 1.5).value, 1.5 * truth,
                    1e-12 * (1 + truth));
      }
    }
  }
}

RC_GTEST_PROP(Piecewise, GradientIsTheCentralDifference, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const std::size_t length = 1 + random.below(5), labels = 1 + random.below(4);
  const auto y = random_labels(length, labels, random);
  Piecewise<double> objective;
  expect_central_differences(objective, any_chain(length, labels, 2, y, random), y, 0.7);
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(Piecewise, BoundsTheLikelihoodFromAbove) {
  Random random(2);
  Piecewise<double> piecewise;
  ChainLikelihood<double> likelihood;
  for (int repeat = 0; repeat < 50; ++repeat) {
    const auto y = random_labels(12, 4, random);
    const auto chain = any_chain(12, 4, 2, y, random);
    EXPECT_GE(evaluate<double>(piecewise, chain, y).value,
              evaluate<double>(likelihood, chain, y).value - 1e-12);
  }
}

TEST(Piecewise, OfOnePositionIsTheLikelihood) {
  Random random(3);
  Piecewise<double> objective;
  ChainLikelihood<double> likelihood;
  const std::vector<Label> y{2};
  const auto chain = random_chain<double>({1, 5, 3, 0, 0, false}, random);
  expect_near(evaluate<double>(objective, chain, y), evaluate<double>(likelihood, chain, y), 1e-14);
}

// Chains of one call may write to one table or to tables of their own.
TEST(Piecewise, ChainsOfACallShareTheTiedPieces) {
  Random random(4);
  Piecewise<double> objective;
  const auto first = random_chain<double>({5, 3, 2, 0, 0.4, false}, random);
  auto second = random_chain<double>({7, 3, 2, 0, 0.4, false}, random);
  second.scores.transitions = first.scores.transitions;
  const std::vector<ChainScores<double>> scores{first.scores, second.scores};
  const auto y = random_labels(5, 3, random), z = random_labels(7, 3, random);
  const std::vector<Gold> gold{y, z};
  const std::vector<double> weight{0.5, 2};
  std::vector<double> value(2);
  GradientTables<double> a(scores[0]), b(scores[1]), c(scores[0]), d(scores[1]);
  std::vector<ChainGradient<double>> out{a.view(), b.view()};
  out[1].transition = out[0].transition;
  objective(scores, gold, weight, out, value);
  EXPECT_NEAR(objective(scores[0], gold[0], 0.5, c.view()), value[0], 1e-13);
  EXPECT_NEAR(objective(scores[1], gold[1], 2, d.view()), value[1], 1e-13);
  GradientTables<double> e(scores[0]), f(scores[1]);
  out = {e.view(), f.view()};
  objective(scores, gold, weight, out, value);
  for (Label i = 0; i < 3; ++i) {
    for (Label j = 0; j < 3; ++j) {
      EXPECT_NEAR(a.edge(i, j), c.edge(i, j) + d.edge(i, j), 1e-12);
      EXPECT_NEAR(e.edge(i, j), c.edge(i, j), 1e-12);
      EXPECT_NEAR(f.edge(i, j), d.edge(i, j), 1e-12);
    }
  }
}

TEST(Piecewise, FloatIsNearDouble) {
  Random random(5);
  Piecewise<float> narrow;
  Piecewise<double> wide;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto y = random_labels(30, 11, random);
    expect_float_near_double(narrow, wide, any_chain(30, 11, 2, y, random), y, 5e-5);
  }
}

TEST(Piecewise, ForbiddenGoldIsInfinite) {
  Piecewise<float> narrow;
  Piecewise<double> wide;
  expect_forbidden_gold_is_infinite(narrow);
  expect_forbidden_gold_is_infinite(wide);
}

}  // namespace
}  // namespace croft

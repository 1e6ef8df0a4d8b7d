// Piecewise training against its definition, central differences and the bound that it is.
#include "objective/chain_objectives.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "support/local_objectives.h"

namespace croft::piecewise_test {
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
  Piecewise<double> objective;
  expect_definition(objective, by_definition, 1);
}

RC_GTEST_PROP(Piecewise, GradientIsTheCentralDifference, ()) {
  Piecewise<double> objective;
  expect_gradient(objective, *rc::gen::arbitrary<std::uint64_t>());
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
  Piecewise<double> objective;
  expect_likelihood_of_one_position(objective, 3);
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
  Piecewise<float> narrow;
  Piecewise<double> wide;
  expect_float_near_double(narrow, wide, 5e-5, 5);
}

TEST(Piecewise, ForbiddenGoldIsInfinite) {
  Piecewise<float> narrow;
  Piecewise<double> wide;
  expect_forbidden_gold_is_infinite(narrow);
  expect_forbidden_gold_is_infinite(wide);
}

// With the book's pieces: a transition and the observations of the label that it leads to.
double by_observed_pieces(const ChainScores<double>& scores, const std::vector<Label>& y) {
  double loss = 0;
  for (std::size_t t = 0; t < y.size(); ++t) {
    double sum = 0;
    for (Label j = 0; j < scores.labels(); ++j) {
      if (t == 0) sum += std::exp(scores.state(0, j));
      for (Label i = 0; t > 0 && i < scores.labels(); ++i) {
        sum += std::exp(scores.edge(t, i, j) + scores.state(t, j));
      }
    }
    loss += std::log(sum) - scores.state(t, y[t]);
    if (t > 0) loss -= scores.edge(t, y[t - 1], y[t]);
  }
  return loss;
}

TEST(ObservedPieces, AreTheirDefinition) {
  ObservedPieces<double> objective;
  expect_definition(objective, by_observed_pieces, 11);
}

RC_GTEST_PROP(ObservedPieces, HaveTheCentralDifferenceAsGradient, ()) {
  ObservedPieces<double> objective;
  expect_gradient(objective, *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(!testing::Test::HasFailure());
}

// From above as well, and of two positions alone nearer to it than those of single factors.
TEST(ObservedPieces, BoundTheLikelihoodMoreTightly) {
  Random random(12);
  Piecewise<double> single;
  ObservedPieces<double> observed;
  ChainLikelihood<double> likelihood;
  for (int repeat = 0; repeat < 50; ++repeat) {
    const auto y = random_labels(9, 4, random);
    const auto chain = any_chain(9, 4, 2, y, random);
    const double exact = evaluate<double>(likelihood, chain, y).value;
    const double value = evaluate<double>(observed, chain, y).value;
    EXPECT_GE(value, exact - 1e-12);
    EXPECT_GE(evaluate<double>(single, chain, y).value, value - 1e-12);
  }
}

TEST(ObservedPieces, OfOnePositionAreTheLikelihood) {
  ObservedPieces<double> objective;
  expect_likelihood_of_one_position(objective, 13);
}

TEST(ObservedPieces, OfFloatAreNearDouble) {
  ObservedPieces<float> narrow;
  ObservedPieces<double> wide;
  expect_float_near_double(narrow, wide, 5e-5, 14);
}

TEST(ObservedPieces, AreInfiniteForAForbiddenGold) {
  ObservedPieces<float> narrow;
  ObservedPieces<double> wide;
  expect_forbidden_gold_is_infinite(narrow);
  expect_forbidden_gold_is_infinite(wide);
}

}  // namespace
}  // namespace croft::piecewise_test

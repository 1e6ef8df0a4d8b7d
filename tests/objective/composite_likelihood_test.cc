// Composite likelihoods against enumeration, central differences, and their two ends: the
// pseudo-likelihood and the likelihood.
#include "objective/chain_objectives.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "croft/core/error.h"
#include "objective/graph/local_terms.h"
#include "objective/objective_checks.h"
#include "support/all_sequences.h"
#include "support/chain_graph.h"

namespace croft::composite_likelihood_test {
namespace {

using namespace testing_support;

// (V.3): ratios of whole labellings' scores.
double by_definition(const ChainScores<double>& scores, const std::vector<Label>& y,
                     std::size_t block) {
  const std::size_t width = std::min(block, y.size()), blocks = y.size() - width + 1;
  double loss = 0;
  for (std::size_t first = 0; first < blocks; ++first) {
    long double sum = 0;
    std::vector<Label> other = y;
    for_each_sequence(scores.labels(), width, [&](const std::vector<Label>& inner) {
      std::ranges::copy(inner, other.begin() + static_cast<std::ptrdiff_t>(first));
      sum += std::exp(static_cast<long double>(score<double>(scores, other)) -
                      score<double>(scores, y));
    });
    loss += static_cast<double>(std::log(sum));
  }
  return loss * static_cast<double>(y.size()) / static_cast<double>(width * blocks);
}

TEST(CompositeLikelihood, IsItsDefinitionByEnumeration) {
  Random random(1);
  for (const std::size_t block : {1, 2, 3, 5}) {
    CompositeLikelihood<double> objective(block);
    for (std::size_t length = 1; length <= 7; ++length) {
      for (int repeat = 0; repeat < 12; ++repeat) {
        const std::size_t labels = 1 + random.below(4);
        const auto y = random_labels(length, labels, random);
        const auto chain = any_chain(length, labels, 2, y, random);
        const double truth = by_definition(chain.scores, y, block);
        ASSERT_NEAR(evaluate<double>(objective, chain, y, 0.5).value, 0.5 * truth,
                    1e-12 * (1 + truth));
      }
    }
  }
}

RC_GTEST_PROP(CompositeLikelihood, GradientIsTheCentralDifference, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const std::size_t length = 1 + random.below(6), labels = 1 + random.below(4);
  const auto y = random_labels(length, labels, random);
  CompositeLikelihood<double> objective(1 + random.below(4));
  expect_central_differences(objective, any_chain(length, labels, 2, y, random), y, 0.7);
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(CompositeLikelihood, OfSingleLabelsIsThePseudoLikelihood) {
  Random random(2);
  CompositeLikelihood<double> composite(1);
  PseudoLikelihood<double> pseudo;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto y = random_labels(40, 6, random);
    const auto chain = any_chain(40, 6, 2, y, random);
    expect_near(evaluate<double>(composite, chain, y, 2), evaluate<double>(pseudo, chain, y, 2),
                1e-12);
  }
}

TEST(CompositeLikelihood, OfOneBlockIsTheLikelihoodToTheLastBit) {
  Random random(3);
  ChainLikelihood<double> likelihood;
  for (const std::size_t block : {7, 8, 100}) {
    CompositeLikelihood<double> composite(block);
    const auto y = random_labels(7, 4, random);
    const auto chain = any_chain(7, 4, 2, y, random);
    const auto a = evaluate<double>(composite, chain, y);
    const auto b = evaluate<double>(likelihood, chain, y);
    EXPECT_EQ(a.value, b.value);
    EXPECT_EQ(a.gradient, b.gradient);
  }
}

// Each pair given its outer neighbours, unscaled: of the chain, and of the same chain as a graph.
TEST(CompositeLikelihood, PerEdgeIsThatOfTheChainAsAGraph) {
  Random random(6);
  CompositeLikelihood<double> per_edge(2, BlockCount::blocks);
  for (std::size_t length = 1; length <= 7; ++length) {
    const std::size_t labels = 2 + random.below(3);
    const auto y = random_labels(length, labels, random);
    const auto chain = random_chain<double>({length, labels, 2, 0, 0, false}, random);
    FactorGraph graph = graph_of(chain.scores);
    const std::vector<State> known(y.begin(), y.end());
    LocalTerms terms(graph, known, LocalKind::per_edge);
    std::vector<double> gradient(graph.numbers().size());
    const double value = terms.evaluate(gradient);
    const Evaluation<double> own = evaluate<double>(per_edge, chain, y);
    EXPECT_NEAR(own.value, value, 1e-12 * (1 + value));
    ASSERT_EQ(own.gradient.size(), gradient.size());
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      EXPECT_NEAR(own.gradient[k], gradient[k], 1e-12) << length << " " << k;
    }
  }
}

TEST(CompositeLikelihood, OfAllButOneIsBetweenTheTwoEnds) {
  // A longer block knows less of the gold labels: in expectation the loss grows with its length.
  Random random(4);
  std::vector<double> loss(6, 0.0);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto chain = random_chain<double>({6, 3, 2, 0, 0, false}, random);
    for (std::size_t block = 1; block <= 6; ++block) {
      CompositeLikelihood<double> objective(block);
      Random same(static_cast<std::uint64_t>(repeat));
      // Gold drawn from the model itself.
      std::vector<Label> best;
      double pick = same.uniform(), z = 0;
      for_each_sequence(3, 6,
                        [&](const auto& y) { z += std::exp(score<double>(chain.scores, y)); });
      for_each_sequence(3, 6, [&](const auto& y) {
        if (pick >= 0) best = y;
        pick -= std::exp(score<double>(chain.scores, y)) / z;
      });
      loss[block - 1] += evaluate<double>(objective, chain, best).value;
    }
  }
  EXPECT_LT(loss.front(), loss[2]);
  EXPECT_LT(loss[2], loss.back());
}

TEST(CompositeLikelihood, FloatIsNearDouble) {
  Random random(5);
  CompositeLikelihood<float> narrow(3);
  CompositeLikelihood<double> wide(3);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto y = random_labels(50, 9, random);  // more blocks than lanes
    expect_float_near_double(narrow, wide, any_chain(50, 9, 2, y, random), y, 5e-5);
  }
}

TEST(CompositeLikelihood, ForbiddenGoldIsInfinite) {
  CompositeLikelihood<float> narrow(2);
  CompositeLikelihood<double> wide(3);
  expect_forbidden_gold_is_infinite(narrow);
  expect_forbidden_gold_is_infinite(wide);
}

TEST(CompositeLikelihood, ABlockOfNothingIsAnError) {
  EXPECT_THROW(CompositeLikelihood<double>(0), UsageError);
}

}  // namespace
}  // namespace croft::composite_likelihood_test

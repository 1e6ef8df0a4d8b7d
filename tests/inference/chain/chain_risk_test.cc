// Decoding by marginals against a search over all labellings.
#include "croft/inference/chain_risk.h"

#include <gtest/gtest.h>

#include "croft/inference/brute_force.h"
#include "croft/inference/chain_product.h"
#include "croft/structure/chain_constraint.h"
#include "support/random_automaton.h"
#include "support/random_chain.h"

namespace croft::chain_risk_test {
namespace {

using testing_support::densify;
using testing_support::random_chain;
using testing_support::random_sparse_chain;
using testing_support::RandomChain;

constexpr double kNone = -std::numeric_limits<double>::infinity();

double expected_right(const Matrix<double>& mu, std::span<const Label> y) {
  double sum = 0;
  for (std::size_t t = 0; t < y.size(); ++t) sum += mu(t, y[t]);
  return sum;
}

// Marginals of an unmasked chain, so that the best labels do not obey by themselves.
Matrix<double> random_marginals(std::size_t length, std::size_t labels, Random& random) {
  return brute_force(random_chain<double>({length, labels, 2, 0, 0, false}, random).scores).state;
}

// Returns whether the constraint made a difference.
bool check(const RandomChain<double>& chain, const Matrix<double>& mu) {
  const RandomChain<double> dense = densify(chain);
  const ChainScores<double>& base = chain.transitions->sparse() ? dense.scores : chain.scores;
  double best = kNone;
  for_each_labelling(base, [&](const std::vector<Label>& y, long double) {
    best = std::max(best, expected_right(mu, y));
  });
  RiskWorkspace<double> work;
  std::vector<Label> y(chain.scores.length()), free(y.size());
  const auto allowed = allowed_edges(*chain.transitions);
  const double value = minimum_risk(chain.scores, mu, allowed, work, y);
  if (best == kNone) {
    EXPECT_EQ(value, kNone);
    return false;
  }
  EXPECT_NEAR(value, best, 1e-12);
  EXPECT_NEAR(expected_right(mu, y), best, 1e-12);
  EXPECT_GT(score<double>(chain.scores, y), kNone);
  posterior_decode(mu, free);
  EXPECT_LE(best, expected_right(mu, free) + 1e-12);
  return y != free;
}

TEST(ChainRisk, MinimumRiskIsTheBestAllowedLabelling) {
  Random random(1);
  std::size_t constrained = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const std::size_t length = repeat % 6, labels = 1 + repeat % 4;
    const testing_support::ChainShape shape{length, labels, 1, 0.2, 0, false};
    auto with_overlays = shape;
    with_overlays.overlay = 0.5;
    const Matrix<double> mu = random_marginals(length, labels, random);
    constrained += check(random_chain<double>(with_overlays, random), mu);
    for (const Background background : {Background::zero, Background::forbidden}) {
      constrained += check(random_sparse_chain<double>(shape, background, 0.6, random), mu);
    }
  }
  EXPECT_GT(constrained, 100u);
}

TEST(ChainRisk, WithoutConstraintsItIsThePosteriorDecoding) {
  Random random(2);
  RiskWorkspace<double> work;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto chain = random_chain<double>({5, 4, 2, 0, 0, false}, random);
    const Matrix<double> mu = brute_force(chain.scores).state;
    std::vector<Label> free(5), y(5);
    posterior_decode(mu, free);
    EXPECT_NEAR(minimum_risk(chain.scores, mu, allowed_edges(*chain.transitions), work, y),
                expected_right(mu, free), 1e-12);
    EXPECT_EQ(y, free);
  }
}

TEST(ChainRisk, AllowedEdgesKeepTheForm) {
  Random random(3);
  const testing_support::ChainShape shape{1, 8, 1, 0.3, 0, false};
  for (const Background background : {Background::zero, Background::forbidden}) {
    const auto chain = random_sparse_chain<float>(shape, background, 0.3, random);
    const auto allowed = allowed_edges(*chain.transitions);
    ASSERT_TRUE(allowed.sparse());
    EXPECT_EQ(allowed.background(), background);
    EXPECT_LT(allowed.leaving().size(), chain.transitions->leaving().size());
    for (Label i = 0; i < 8; ++i) {
      for (Label j = 0; j < 8; ++j) {
        const float expected =
            std::isinf(chain.transitions->at(i, j)) ? chain.transitions->at(i, j) : 0;
        EXPECT_EQ(allowed.at(i, j), expected);
      }
    }
  }
}

TEST(ChainRisk, GoesThroughAProductAsScoresDo) {
  Random random(4);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const auto automaton = testing_support::random_automaton(3, 3, 2, random);
    const auto chain = random_chain<double>({5, 3, 2, 0.1, 0, false}, random);
    const Matrix<double> mu = random_marginals(5, 3, random);
    double best = kNone;
    for_each_labelling(chain.scores, [&](const std::vector<Label>& y, long double) {
      if (accepts(automaton, y)) best = std::max(best, expected_right(mu, y));
    });
    const auto allowed = allowed_edges(*chain.transitions);
    const ChainProduct<double> product(allowed, automaton);
    ChainScores<double> risk, lifted;
    risk_scores(chain.scores, mu, allowed, risk);
    ASSERT_TRUE(product.lift(risk, lifted));
    ViterbiWorkspace<double> work;
    std::vector<Label> y(5);
    const double value = viterbi(lifted, work, y);
    if (best == kNone) {
      EXPECT_EQ(value, kNone);
      continue;
    }
    EXPECT_NEAR(value, best, 1e-12);
    product.project(y, y);
    EXPECT_TRUE(accepts(automaton, y));
  }
}

TEST(ChainRisk, PosteriorDecodingTakesTheFirstOfEqualLabels) {
  Matrix<float> mu(2, 3, 0.25f);
  mu(1, 2) = 0.5f;
  std::vector<Label> y(2);
  posterior_decode(mu, y);
  EXPECT_EQ(y, (std::vector<Label>{0, 2}));
}

}  // namespace
}  // namespace croft::chain_risk_test

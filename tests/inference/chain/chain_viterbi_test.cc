#include "croft/inference/chain_viterbi.h"

#include <gtest/gtest.h>

#include "croft/inference/brute_force.h"
#include "support/random_chain.h"

namespace croft::chain_viterbi_test {
namespace {

using testing_support::random_chain;

TEST(ChainViterbi, FindsTheBestLabellingOfRandomChains) {
  Random random(1);
  ViterbiWorkspace<double> work;
  for (std::size_t length = 0; length <= 6; ++length) {
    for (std::size_t labels = 1; labels <= 5; ++labels) {
      for (int repeat = 0; repeat < 40; ++repeat) {
        const auto chain = random_chain<double>(
            {length, labels, 3, repeat % 3 * 0.2, repeat % 2 * 0.5, false}, random);
        const BruteForceResult truth = brute_force(chain.scores);
        std::vector<Label> y(length);
        const double best = viterbi<double>(chain.scores, work, y);
        if (std::isinf(truth.best_score)) {
          EXPECT_EQ(best, truth.best_score);
        } else {
          EXPECT_NEAR(best, truth.best_score, 1e-12 * (1 + std::abs(best)));
          EXPECT_EQ(y, truth.best);
        }
      }
    }
  }
}

TEST(ChainViterbi, ScoreEqualsTheBestAlsoWhereScoresTie) {
  Random random(2);
  ViterbiWorkspace<float> work;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto chain = random_chain<float>({5, 4, 1, 0.1, 0.5, true}, random);
    const double truth = brute_force(testing_support::widen(chain).scores).best_score;
    std::vector<Label> y(5);
    EXPECT_EQ(viterbi<float>(chain.scores, work, y), truth);
    if (!std::isinf(truth)) {
      EXPECT_EQ(score<float>(chain.scores, y), truth);
    }
  }
}

TEST(ChainViterbi, AmongEqualsTheSmallerLabelWinsAtTheLastDifference) {
  const TransitionScores<float> tied(3);
  ChainScores<float> scores;
  scores.reset(4, tied);
  ViterbiWorkspace<float> work;
  std::vector<Label> y(4, 9);
  EXPECT_EQ(viterbi<float>(scores, work, y), 0);
  EXPECT_EQ(y, std::vector<Label>(4, 0));
}

TEST(ChainViterbi, LargeStateScoresDoNotRoundTheEdgesAway) {
  Random random(4);
  ViterbiWorkspace<float> work;
  for (int repeat = 0; repeat < 100; ++repeat) {
    auto chain = random_chain<float>({6, 3, 0.05, 0, 0, false}, random);
    for (std::size_t t = 0; t < 6; ++t) {
      for (float& value : chain.scores.state[t]) value = 1e5f;
    }
    std::vector<Label> y(6);
    const double best = viterbi<float>(chain.scores, work, y);
    EXPECT_NEAR(best, brute_force(testing_support::widen(chain).scores).best_score, 1e-6);
  }
}

TEST(ChainViterbi, AMillionPositionsOfLargeScoresKeepTheirDigits) {
  Random random(3);
  const TransitionScores<double> tied(2);
  ChainScores<double> scores;
  const std::size_t length = 1000000;
  scores.reset(length, tied);
  std::vector<Label> expected(length), y(length);
  for (std::size_t t = 0; t < length; ++t) {
    expected[t] = static_cast<Label>(random.below(2));
    scores.state(t, expected[t]) = 1e5 + 1e-6;
    scores.state(t, 1 - expected[t]) = 1e5;
  }
  ViterbiWorkspace<double> work;
  EXPECT_NEAR(viterbi<double>(scores, work, y), 1e11 + 1, 1e-4);
  EXPECT_EQ(y, expected);
}

}  // namespace
}  // namespace croft::chain_viterbi_test

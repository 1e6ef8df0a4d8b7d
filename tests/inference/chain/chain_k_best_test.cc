// The k best labellings against all labellings, sorted.
#include "croft/inference/chain_k_best.h"

#include <gtest/gtest.h>

#include <set>

#include "croft/inference/brute_force.h"
#include "croft/inference/chain_viterbi.h"
#include "support/random_chain.h"

namespace croft::chain_k_best_test {
namespace {

using testing_support::densify;
using testing_support::random_chain;
using testing_support::random_sparse_chain;
using testing_support::RandomChain;

// Every allowed labelling in the order that chain_k_best.h promises.
std::vector<ScoredLabelling> all_sorted(const ChainScores<double>& dense) {
  std::vector<ScoredLabelling> all;
  for_each_labelling(dense, [&](const std::vector<Label>& y, long double s) {
    all.push_back({y, static_cast<double>(s)});
  });
  std::sort(all.begin(), all.end(), [](const ScoredLabelling& a, const ScoredLabelling& b) {
    if (a.score != b.score) return a.score > b.score;
    return std::lexicographical_compare(a.labels.rbegin(), a.labels.rend(), b.labels.rbegin(),
                                        b.labels.rend());
  });
  return all;
}

// `exact`: the scores are small whole numbers, so that no sum is rounded and ties are ties.
void expect_all(const RandomChain<double>& chain, bool exact) {
  const auto truth = all_sorted(chain.transitions->sparse() ? densify(chain).scores : chain.scores);
  const auto found = k_best(chain.scores, truth.size() + 5);
  ASSERT_EQ(found.size(), truth.size());
  std::set<std::vector<Label>> seen;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (exact) {
      ASSERT_EQ(found[k].score, truth[k].score) << "k " << k;
      ASSERT_EQ(found[k].labels, truth[k].labels) << "k " << k;
    } else {
      ASSERT_NEAR(found[k].score, truth[k].score, 1e-12 * (1 + std::abs(truth[k].score)));
      ASSERT_NEAR(found[k].score, score<double>(chain.scores, found[k].labels),
                  1e-12 * (1 + std::abs(truth[k].score)));
    }
    ASSERT_TRUE(seen.insert(found[k].labels).second) << "drawn twice";
    if (k > 0) {
      ASSERT_LE(found[k].score, found[k - 1].score);
    }
  }
  std::vector<Label> y(chain.scores.length());
  ViterbiWorkspace<double> work;
  const double best = viterbi<double>(chain.scores, work, y);
  if (found.empty()) {
    EXPECT_EQ(best, -std::numeric_limits<double>::infinity());
  } else {
    EXPECT_EQ(found[0].labels, y);
    EXPECT_EQ(found[0].score, best);
  }
}

TEST(ChainKBest, EqualsTheSortedListOfAllLabellingsOfRandomChains) {
  Random random(1);
  for (std::size_t length = 0; length <= 5; ++length) {
    for (std::size_t labels = 1; labels <= 4; ++labels) {
      for (int repeat = 0; repeat < 24; ++repeat) {
        const bool ties = repeat % 2 == 1;
        SCOPED_TRACE(testing::Message() << "T " << length << " L " << labels << " #" << repeat);
        expect_all(random_chain<double>({length, labels, ties ? 1.0 : 3.0, repeat / 2 % 3 * 0.2,
                                         repeat / 6 % 2 * 0.5, ties},
                                        random),
                   ties);
      }
    }
  }
}

TEST(ChainKBest, EqualsTheSortedListOfAllLabellingsWithSparseTransitions) {
  Random random(2);
  for (const Background background : {Background::zero, Background::forbidden}) {
    for (const double density : {0.0, 0.3, 0.7, 1.0}) {
      for (std::size_t length = 0; length <= 5; ++length) {
        for (std::size_t labels = 1; labels <= 4; ++labels) {
          for (int repeat = 0; repeat < 6; ++repeat) {
            const bool ties = repeat % 2 == 1;
            expect_all(random_sparse_chain<double>(
                           {length, labels, ties ? 1.0 : 3.0, repeat % 3 * 0.15, 0, ties},
                           background, density, random),
                       ties);
          }
        }
      }
    }
  }
}

TEST(ChainKBest, WhereEverythingTiesTheLabelsCountUpFromTheFirstPosition) {
  const TransitionScores<double> tied(3);
  ChainScores<double> scores;
  scores.reset(4, tied);
  const auto all = k_best(scores, 1000);
  ASSERT_EQ(all.size(), 81u);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto digit = [&](std::size_t power) { return static_cast<Label>(k / power % 3); };
    EXPECT_EQ(all[k].labels, (std::vector<Label>{digit(1), digit(3), digit(9), digit(27)}));
    EXPECT_EQ(all[k].score, 0);
  }
}

TEST(ChainKBest, DrawsOnePerCallAndThenNothingMore) {
  Random random(3);
  const auto chain = random_chain<double>({3, 2, 1, 0, 0, false}, random);
  ChainKBest search(chain.scores);
  std::vector<Label> y(3);
  for (int k = 0; k < 8; ++k) EXPECT_TRUE(search.next(y).has_value());
  EXPECT_FALSE(search.next(y).has_value());
  EXPECT_FALSE(search.next(y).has_value());
}

TEST(ChainKBest, KOfZeroGivesNothingAndTheEmptyChainHasOneLabelling) {
  const TransitionScores<double> tied(2);
  ChainScores<double> scores;
  scores.reset(0, tied);
  EXPECT_TRUE(k_best(scores, 0).empty());
  const auto all = k_best(scores, 3);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].labels.empty());
  EXPECT_EQ(all[0].score, 0);
}

TEST(ChainKBest, ScoresOfHundredThousandKeepSmallDifferences) {
  Random random(4);
  for (int repeat = 0; repeat < 20; ++repeat) {
    auto chain = random_chain<double>({5, 3, 0.01, 0, 0.5, false}, random);
    const auto small = all_sorted(chain.scores);
    for (std::size_t t = 0; t < 5; ++t) {
      for (double& value : chain.scores.state[t]) value += 1e5;
    }
    const auto found = k_best(chain.scores, 243);
    ASSERT_EQ(found.size(), 243u);
    for (std::size_t k = 0; k < 243; ++k) {  // the addition of 1e5 rounds by up to 1e-11 a position
      ASSERT_NEAR(found[k].score - 5e5, small[k].score, 3e-10);
    }
  }
}

TEST(ChainKBest, AMillionPositions) {
  // Label 0 is best everywhere; position t loses 1 + t / T by taking label 1 instead.
  const std::size_t length = 1000000;
  const TransitionScores<double> tied(2);
  ChainScores<double> scores;
  scores.reset(length, tied);
  for (std::size_t t = 0; t < length; ++t) {
    scores.state(t, 1) = -1 - static_cast<double>(t) / static_cast<double>(length);
  }
  ChainKBest search(scores);
  std::vector<Label> y(length);
  for (std::size_t k = 0; k < 5; ++k) {
    const auto value = search.next(y);
    ASSERT_TRUE(value.has_value());
    EXPECT_NEAR(*value, k == 0 ? 0 : -1 - static_cast<double>(k - 1) * 1e-6, 1e-9);
    EXPECT_EQ(std::count(y.begin(), y.end(), 1u), k == 0 ? 0 : 1);
    if (k > 0) {
      EXPECT_EQ(y[k - 1], 1u);
    }
  }
}

TEST(ChainKBest, ManyDrawsFromALongerChainStayDistinctAndOrdered) {
  Random random(5);
  for (const double density : {0.1, 0.5}) {
    const auto chain =
        random_sparse_chain<double>({30, 12, 2, 0, 0, false}, Background::zero, density, random);
    const auto sparse = k_best(chain.scores, 3000);
    const auto dense = k_best(densify(chain).scores, 3000);
    ASSERT_EQ(sparse.size(), 3000u);
    std::set<std::vector<Label>> seen;
    for (std::size_t k = 0; k < sparse.size(); ++k) {
      ASSERT_EQ(sparse[k].labels, dense[k].labels);
      ASSERT_EQ(sparse[k].score, dense[k].score);
      ASSERT_TRUE(seen.insert(sparse[k].labels).second);
      ASSERT_NEAR(sparse[k].score, score<double>(chain.scores, sparse[k].labels), 1e-10);
      if (k > 0) {
        ASSERT_LE(sparse[k].score, sparse[k - 1].score);
      }
    }
  }
}

}  // namespace
}  // namespace croft::chain_k_best_test

// Drawing labellings until one obeys, against a search over all of them.
#include <gtest/gtest.h>

#include "croft/inference/brute_force.h"
#include "inference/chain/constrained_search.h"
#include "support/random_chain.h"

namespace croft::predicate_search_test {
namespace {

using testing_support::densify;
using testing_support::random_chain;
using testing_support::random_sparse_chain;
using testing_support::RandomChain;

constexpr double kNone = -std::numeric_limits<double>::infinity();

bool is_palindrome(std::span<const Label> y) {  // every position tied to its mirror image
  return std::equal(y.begin(), y.end(), y.rbegin());
}

struct Truth {
  double best = kNone;
  std::size_t rank = 0;  // labellings with a higher score
  std::size_t all = 0;
};

Truth truth_of(const RandomChain<double>& chain) {
  const RandomChain<double> dense = densify(chain);
  const ChainScores<double>& scores = chain.transitions->sparse() ? dense.scores : chain.scores;
  Truth truth;
  std::vector<double> all;
  for_each_labelling(scores, [&](const std::vector<Label>& y, long double s) {
    all.push_back(static_cast<double>(s));
    if (is_palindrome(y)) truth.best = std::max(truth.best, all.back());
  });
  truth.all = all.size();
  for (const double s : all) truth.rank += s > truth.best;
  return truth;
}

void check(const RandomChain<double>& chain) {
  const Truth truth = truth_of(chain);
  const SearchResult result = predicate_search(chain.scores, is_palindrome, truth.all + 1);
  EXPECT_TRUE(result.exact);
  ASSERT_EQ(result.found, truth.best > kNone);
  if (!result.found) {
    EXPECT_EQ(result.drawn, truth.all);
    EXPECT_TRUE(result.labels.empty());
    return;
  }
  EXPECT_TRUE(is_palindrome(result.labels));
  EXPECT_NEAR(result.score, truth.best, 1e-11);
  EXPECT_EQ(result.score, score<double>(chain.scores, result.labels));
  EXPECT_EQ(result.gap, 0);
  EXPECT_EQ(result.drawn, truth.rank + 1);
  if (truth.rank == 0) return;
  const SearchResult early = predicate_search(chain.scores, is_palindrome, truth.rank);
  EXPECT_FALSE(early.found || early.exact);
  EXPECT_TRUE(early.labels.empty());
  EXPECT_EQ(early.gap, std::numeric_limits<double>::infinity());
  EXPECT_EQ(early.drawn, truth.rank);
}

TEST(PredicateSearch, FindsTheBestLabellingThatObeys) {
  Random random(1);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const testing_support::ChainShape shape{
        static_cast<std::size_t>(repeat % 6), 3, 2, 0.2 * (repeat % 2), 0, false};
    auto with_overlays = shape;
    with_overlays.overlay = 0.5;
    check(random_chain<double>(with_overlays, random));
    for (const Background background : {Background::zero, Background::forbidden}) {
      check(random_sparse_chain<double>(shape, background, 0.6, random));
    }
  }
}

TEST(PredicateSearch, AgreesWithTheSearchForAgreement) {
  Random random(2);
  const std::vector<std::vector<std::size_t>> groups{{0, 5}, {1, 4}, {2, 3}};
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto chain = random_chain<double>({6, 4, 1, 0, 0, false}, random);
    const SearchResult drawn = predicate_search(chain.scores, is_palindrome, 100000);
    const SearchResult bounded = agreement_search(chain.scores, groups, 100000);
    ASSERT_TRUE(drawn.exact && bounded.exact);
    EXPECT_NEAR(drawn.score, bounded.score, 1e-11);
    EXPECT_EQ(drawn.labels, bounded.labels);
  }
}

TEST(PredicateSearch, ALimitOfZeroDrawsNothing) {
  Random random(3);
  const auto chain = random_chain<double>({3, 3, 1, 0, 0, false}, random);
  const auto never = [](std::span<const Label>) -> bool { throw 1; };
  const SearchResult result = predicate_search(chain.scores, never, 0);
  EXPECT_FALSE(result.found || result.exact);
  EXPECT_EQ(result.drawn, 0u);
}

}  // namespace
}  // namespace croft::predicate_search_test

// The most probable labellings of chains with hidden states, against enumerations of all paths.
#include "inference/chain/label_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "croft/inference/brute_force.h"
#include "croft/inference/chain_sum.h"
#include "support/random_chain.h"

namespace croft::label_search_test {
namespace {

struct Case {
  TransitionScores<double> transitions;
  ChainScores<double> chain;
  std::vector<Label> label_of;
};

// Two to four labels of one to three states; with `forbidden`, a third of the edges is.
void make(std::size_t length, bool forbidden, double scale, Random& random, Case& out) {
  out.label_of.clear();
  const std::size_t labels = 2 + random.below(3);
  for (Label j = 0; j < labels; ++j) {
    out.label_of.insert(out.label_of.end(), 1 + random.below(3), j);
  }
  const std::size_t states = out.label_of.size();
  Matrix<double> table(states, states, 0.0);
  for (std::size_t i = 0; i < states; ++i) {
    for (std::size_t j = 0; j < states; ++j) {
      table(i, j) = forbidden && random.below(3) == 0 ? ChainScores<double>::kForbidden
                                                      : scale * random.normal();
    }
  }
  out.transitions.assign(std::move(table));
  out.chain.reset(length, out.transitions);
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t s = 0; s < states; ++s) out.chain.state(t, s) = scale * random.normal();
  }
}

// log of the sum over paths, by labelling.
std::map<std::vector<Label>, double> sums_of(const Case& c) {
  std::map<std::vector<Label>, long double> sums;
  for_each_labelling(c.chain, [&](const std::vector<Label>& path, long double score) {
    std::vector<Label> y;
    for (const Label s : path) y.push_back(c.label_of[s]);
    sums[y] += std::exp(score);
  });
  std::map<std::vector<Label>, double> logs;
  for (const auto& [y, sum] : sums) {
    if (sum > 0) logs[y] = static_cast<double>(std::log(sum));
  }
  return logs;
}

TEST(LabelSearch, FindsTheBestLabellingsOfAllInTheirOrder) {
  Random random(1);
  Case c;
  for (int round = 0; round < 200; ++round) {
    make(1 + random.below(4), round % 3 == 0, 0.5 + 2 * random.uniform(), random, c);
    const auto all = sums_of(c);
    std::vector<double> expected;
    for (const auto& [y, score] : all) expected.push_back(score);
    std::ranges::sort(expected, std::greater());
    const std::size_t k = 1 + random.below(6);
    const LabelSearchResult found = best_labellings(c.chain, c.label_of, k, 1'000'000);
    EXPECT_TRUE(found.exact);
    ASSERT_EQ(found.best.size(), std::min(k, expected.size()));
    for (std::size_t n = 0; n < found.best.size(); ++n) {
      EXPECT_NEAR(found.best[n].score, expected[n], 1e-10);
      EXPECT_NEAR(all.at(found.best[n].labels), found.best[n].score, 1e-10);
    }
  }
}

TEST(LabelSearch, ScoresALabellingByTheSumOverItsPaths) {
  Random random(2);
  Case c;
  for (int round = 0; round < 50; ++round) {
    make(1 + random.below(4), round % 2 == 0, 2, random, c);
    for (const auto& [y, score] : sums_of(c)) {
      EXPECT_NEAR(labelling_score(c.chain, c.label_of, y), score, 1e-10);
    }
  }
}

TEST(LabelSearch, TheScoresOfAllLabellingsSumToThePartitionFunction) {
  Random random(3);
  Case c;
  make(3, false, 1, random, c);
  ForwardBackwardWorkspace<double> work;
  const LabelSearchResult found = best_labellings(c.chain, c.label_of, 100'000, 1'000'000);
  double sum = 0;
  for (const auto& each : found.best) sum += std::exp(each.score);
  EXPECT_NEAR(std::log(sum), log_partition(c.chain, work), 1e-10);
}

TEST(LabelSearch, TheBestPathMayStandForAnotherLabelling) {
  Case c;
  c.label_of = {0, 1, 1};
  c.transitions = TransitionScores<double>(3);
  c.chain.reset(1, c.transitions);
  c.chain.state(0, 0) = 0.5;  // above each of the others, below their sum
  const LabelSearchResult found = best_labellings(c.chain, c.label_of, 1, 100);
  EXPECT_EQ(found.best.at(0).labels, std::vector<Label>{1});
  EXPECT_NEAR(found.best[0].score, std::log(2), 1e-12);
}

TEST(LabelSearch, AnEndByTheLimitHasABoundOnWhatIsMissed) {
  Random random(4);
  Case c;
  std::size_t ended = 0;
  for (int round = 0; round < 100; ++round) {
    make(4, false, 1, random, c);
    const auto all = sums_of(c);
    const double best =
        std::ranges::max_element(all, {}, [](const auto& e) { return e.second; })->second;
    const LabelSearchResult found = best_labellings(c.chain, c.label_of, 1, random.below(5));
    ASSERT_EQ(found.best.size(), 1u);
    ended += !found.exact;
    EXPECT_NEAR(all.at(found.best[0].labels), found.best[0].score, 1e-10);
    EXPECT_LE(best, found.best[0].score + found.gap + 1e-10);
    if (found.exact) {
      EXPECT_NEAR(best, found.best[0].score, 1e-10);
    }
  }
  EXPECT_GT(ended, 30u);
}

TEST(LabelSearch, TheGapIsOfWhatIsNotListed) {
  Random random(8);
  Case c;
  std::size_t ended = 0;
  for (int round = 0; round < 100; ++round) {
    make(4, false, 1, random, c);
    const auto all = sums_of(c);
    const LabelSearchResult found = best_labellings(c.chain, c.label_of, 3, random.below(8));
    ASSERT_FALSE(found.best.empty());
    ended += !found.exact;
    if (found.exact) {
      EXPECT_EQ(found.gap, 0);
      EXPECT_EQ(found.best.size(), 3u);
    }
    for (const auto& [labels, score] : all) {
      const bool listed = std::ranges::any_of(
          found.best, [&labels = labels](const auto& each) { return each.labels == labels; });
      EXPECT_TRUE(listed || score <= found.best.back().score + found.gap + 1e-8);
    }
  }
  EXPECT_GT(ended, 30u);
}

TEST(LabelSearch, WithOneStateALabelGoesStraightToItsEnd) {
  Random random(5);
  Case c;
  make(4, false, 1, random, c);
  std::vector<Label> own(c.label_of.size());
  for (Label s = 0; s < own.size(); ++s) own[s] = s;
  EXPECT_EQ(best_labellings(c.chain, own, 1, 1000).drawn, 3u);
}

TEST(LabelSearch, AnEmptySequenceHasTheEmptyLabelling) {
  Case c;
  c.label_of = {0, 1};
  c.transitions = TransitionScores<double>(2);
  c.chain.reset(0, c.transitions);
  EXPECT_EQ(best_labellings(c.chain, c.label_of, 3, 10).best.size(), 1u);
  EXPECT_EQ(labelling_score(c.chain, c.label_of, {}), 0);
}

TEST(LabelSearch, NothingIsFoundWhereNothingIsAllowed) {
  Case c;
  c.label_of = {0, 1, 1};
  Matrix<double> table(3, 3, ChainScores<double>::kForbidden);
  c.transitions.assign(std::move(table));
  c.chain.reset(2, c.transitions);
  const LabelSearchResult found = best_labellings(c.chain, c.label_of, 2, 100);
  EXPECT_TRUE(found.exact);
  EXPECT_TRUE(found.best.empty());
}

}  // namespace
}  // namespace croft::label_search_test

// The search for agreeing labellings against brute force, and against problems that fall apart.
#include <gtest/gtest.h>

#include <algorithm>

#include "croft/inference/brute_force.h"
#include "croft/inference/chain_product.h"
#include "croft/inference/chain_viterbi.h"
#include "inference/chain/constrained_search.h"
#include "support/random_chain.h"

namespace croft::agreement_search_test {
namespace {

using testing_support::densify;
using testing_support::random_chain;
using testing_support::random_sparse_chain;
using testing_support::RandomChain;

using Groups = std::vector<std::vector<std::size_t>>;
constexpr double kNone = -std::numeric_limits<double>::infinity();

bool agree(const Groups& groups, std::span<const Label> y) {
  return std::all_of(groups.begin(), groups.end(), [&](const auto& group) {
    return std::all_of(group.begin(), group.end(),
                       [&](std::size_t p) { return y[p] == y[group[0]]; });
  });
}

// Some positions in some groups; groups may overlap, and have one position or none.
Groups random_groups(std::size_t length, Random& random) {
  Groups groups(random.below(4));
  for (auto& group : groups) {
    for (std::size_t p = 0; p < length; ++p) {
      if (random.uniform() < 0.4) group.push_back(p);
    }
  }
  return groups;
}

double best_of(const RandomChain<double>& chain, const Groups& groups) {
  const RandomChain<double> dense = densify(chain);
  double best = kNone;
  for_each_labelling(chain.transitions->sparse() ? dense.scores : chain.scores,
                     [&](const std::vector<Label>& y, long double s) {
                       if (agree(groups, y)) best = std::max(best, static_cast<double>(s));
                     });
  return best;
}

void expect_valid(const RandomChain<double>& chain, const Groups& groups,
                  const SearchResult& result, double best) {
  EXPECT_EQ(result.labels.empty(), !result.found || chain.scores.length() == 0);
  if (!result.found) {
    EXPECT_EQ(result.score, kNone);
    EXPECT_EQ(result.gap, std::numeric_limits<double>::infinity());
    return;
  }
  EXPECT_TRUE(agree(groups, result.labels));
  EXPECT_EQ(score<double>(chain.scores, result.labels), result.score);
  EXPECT_LE(best, result.score + result.gap + 1e-10);
  EXPECT_LE(result.score, best + 1e-10);
}

void check(const RandomChain<double>& chain, const Groups& groups) {
  const double best = best_of(chain, groups);
  const SearchResult result = agreement_search(chain.scores, groups, 100000);
  expect_valid(chain, groups, result, best);
  EXPECT_TRUE(result.exact);
  EXPECT_EQ(result.found, best > kNone);
  if (!result.found) return;
  EXPECT_EQ(result.gap, 0);
  EXPECT_NEAR(result.score, best, 1e-10);
}

TEST(AgreementSearch, MatchesBruteForceOnRandomChains) {
  Random random(1);
  for (int repeat = 0; repeat < 400; ++repeat) {
    const std::size_t length = repeat % 7, labels = 1 + random.below(4);
    const testing_support::ChainShape shape{length, labels,         2, 0.15 * (repeat % 3),
                                            0,      repeat % 5 == 0};
    auto with_overlays = shape;
    with_overlays.overlay = 0.5;
    check(random_chain<double>(with_overlays, random), random_groups(length, random));
    for (const Background background : {Background::zero, Background::forbidden}) {
      check(random_sparse_chain<double>(shape, background, 0.7, random),
            random_groups(length, random));
    }
  }
}

TEST(AgreementSearch, ALimitGivesABoundThatHolds) {
  Random random(2);
  std::size_t inexact = 0, not_found = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const auto chain = random_chain<double>({7, 4, 2, 0.1 * (repeat % 2), 0, false}, random);
    const Groups groups{{0, 2, 4}, {1, 3}, {5, 6}};
    const double best = best_of(chain, groups);
    for (const std::size_t limit : {0, 1, 2, 5, 9}) {
      const SearchResult result = agreement_search(chain.scores, groups, limit);
      expect_valid(chain, groups, result, best);
      EXPECT_LE(result.drawn, std::max<std::size_t>(limit, 1));
      inexact += !result.exact;
      not_found += !result.found;
      if (result.exact) {
        EXPECT_EQ(result.found, best > kNone);
        if (result.found) {
          EXPECT_NEAR(result.score, best, 1e-10);
        }
      } else if (limit > 1 && repeat % 2 == 0) {
        EXPECT_TRUE(result.found);  // nothing is forbidden: agreement is always possible
      }
    }
  }
  EXPECT_GT(inexact, 100u);
  EXPECT_GT(not_found, 0u);
}

TEST(AgreementSearch, ManyIndependentGroupsAreSolvedOneByOne) {
  Random random(3);
  const std::size_t length = 240, labels = 9;
  const TransitionScores<double> tied(labels);
  ChainScores<double> scores;
  scores.reset(length, tied);
  Groups groups(60);
  double expected = 0;
  for (std::size_t t = 0; t < length; ++t) {
    for (double& value : scores.state[t]) value = 2 * random.normal();
    groups[t % groups.size()].push_back(t);
  }
  for (const auto& group : groups) {
    double best = kNone;
    for (Label j = 0; j < labels; ++j) {
      double sum = 0;
      for (const std::size_t t : group) sum += scores.state(t, j);
      best = std::max(best, sum);
    }
    expected += best;
  }
  const SearchResult result = agreement_search(scores, groups, 2000);
  ASSERT_TRUE(result.found);
  EXPECT_TRUE(agree(groups, result.labels));
  EXPECT_TRUE(result.exact) << "gap " << result.gap;
  EXPECT_NEAR(result.score, expected, 1e-9);
}

TEST(AgreementSearch, LongChainsWithManyGroupsAreSolvedOrHaveASmallGap) {
  Random random(4);
  int exact = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto chain = random_chain<double>({120, 9, 1.5, 0, 0, false}, random);
    Groups groups(20);
    for (std::size_t t = 0; t < 120; ++t) {
      if (random.uniform() < 0.5) groups[random.below(groups.size())].push_back(t);
    }
    const SearchResult result = agreement_search(chain.scores, groups, 1000);
    ASSERT_TRUE(result.found);
    EXPECT_TRUE(agree(groups, result.labels));
    ViterbiWorkspace<double> work;
    std::vector<Label> y(120);
    const double free = viterbi(chain.scores, work, y);
    EXPECT_LE(result.score, free);
    EXPECT_LT(result.gap, 0.25 * (free - result.score));  // the bound does most of the way
    exact += result.exact;
  }
  EXPECT_GE(exact, 2);
}

TEST(AgreementSearch, StatesOfAProductAgreeByTheirLabels) {
  Random random(5);
  const Groups groups{{0, 3}, {1, 5}};
  const LabelAutomaton automaton = count_labels(3, std::vector<Label>{1}, CountRange::exactly(3));
  for (int repeat = 0; repeat < 30; ++repeat) {
    const auto chain = random_chain<double>({6, 3, 2, 0, 0, false}, random);
    double best = kNone;
    for_each_labelling(chain.scores, [&](const std::vector<Label>& y, long double s) {
      if (agree(groups, y) && accepts(automaton, y)) best = std::max(best, static_cast<double>(s));
    });
    const ChainProduct<double> product(*chain.transitions, automaton);
    ChainScores<double> lifted;
    ASSERT_TRUE(product.lift(chain.scores, lifted));
    const SearchResult result = agreement_search(lifted, groups, 10000, product.label_of());
    ASSERT_TRUE(result.found);
    EXPECT_TRUE(result.exact);
    EXPECT_NEAR(result.score, best, 1e-10);
    std::vector<Label> y(6);
    product.project(result.labels, y);
    EXPECT_TRUE(agree(groups, y) && accepts(automaton, y));
  }
}

TEST(AgreementSearch, AgreementThatEdgesForbidIsProvedImpossible) {
  TransitionScores<double> tied;
  Matrix<double> log(3, 3, 0.0);
  for (Label j = 0; j < 3; ++j) log(j, j) = kNone;  // neighbours differ
  tied.assign(std::move(log));
  ChainScores<double> scores;
  scores.reset(4, tied);
  const SearchResult none = agreement_search(scores, Groups{{0, 1}}, 1000);
  EXPECT_FALSE(none.found);
  EXPECT_TRUE(none.exact);
  const SearchResult one = agreement_search(scores, Groups{{0, 2}, {1, 3}}, 1000);
  EXPECT_TRUE(one.found && one.exact);
  scores.state(0, 0) = scores.state(2, 1) = scores.state(2, 2) = kNone;
  EXPECT_FALSE(agreement_search(scores, Groups{{0, 2}}, 1000).found);
}

}  // namespace
}  // namespace croft::agreement_search_test

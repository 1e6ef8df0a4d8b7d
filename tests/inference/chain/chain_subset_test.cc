// Probabilities of labels at some positions against brute force.
#include "croft/inference/chain_subset.h"

#include <gtest/gtest.h>

#include "croft/inference/brute_force.h"
#include "croft/inference/chain_posterior.h"
#include "support/random_chain.h"

namespace croft::chain_subset_test {
namespace {

using testing_support::densify;
using testing_support::random_chain;
using testing_support::random_sparse_chain;
using testing_support::RandomChain;
using testing_support::widen;

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

struct Query {
  std::vector<std::size_t> positions;
  std::vector<std::vector<Label>> sets;

  std::vector<Restriction> restrictions() const {
    std::vector<Restriction> list;
    for (std::size_t k = 0; k < sets.size(); ++k) list.push_back({positions[k], sets[k]});
    return list;
  }
  bool holds(const std::vector<Label>& y) const {
    for (std::size_t k = 0; k < sets.size(); ++k) {
      if (std::count(sets[k].begin(), sets[k].end(), y[positions[k]]) == 0) return false;
    }
    return true;
  }
};

// Up to three positions, in any order, one of them possibly twice.
Query random_query(std::size_t length, std::size_t labels, Random& random) {
  Query query;
  for (std::size_t k = random.below(length == 0 ? 1 : 4); k > 0; --k) {
    query.positions.push_back(random.below(length));
    query.sets.emplace_back();
    for (Label j = 0; j < labels; ++j) {
      if (random.uniform() < 0.5) query.sets.back().push_back(j);
    }
  }
  return query;
}

// log of the sum over the labellings that the query holds for, less that of all.
double brute_force_log(const ChainScores<double>& dense, const Query& query) {
  long double top = kMinusInfinity, all_top = kMinusInfinity, sum = 0, all = 0;
  for_each_labelling(dense, [&](const std::vector<Label>& y, long double s) {
    all_top = std::max(all_top, s);
    if (query.holds(y)) top = std::max(top, s);
  });
  if (std::isinf(top)) return kMinusInfinity;
  for_each_labelling(dense, [&](const std::vector<Label>& y, long double s) {
    all += std::exp(s - all_top);
    if (query.holds(y)) sum += std::exp(s - top);
  });
  return static_cast<double>(top - all_top + std::log(sum) - std::log(all));
}

template <class Real>
void expect_matches(const RandomChain<Real>& chain, Random& random) {
  RandomChain<double> dense;
  if constexpr (std::is_same_v<Real, float>) {
    dense = densify(widen(chain));
  } else {
    dense = densify(chain);
  }
  SubsetProbability subset(chain.scores);
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Query query = random_query(chain.scores.length(), chain.scores.labels(), random);
    const double truth = brute_force_log(dense.scores, query);
    const double found = subset.log_probability(query.restrictions());
    if (std::isinf(truth)) {
      EXPECT_EQ(found, truth);
    } else {
      EXPECT_NEAR(found, truth, 1e-13 * (10 + std::abs(truth)));
      EXPECT_LE(found, 0);
    }
    EXPECT_EQ(log_subset_probability<Real>(chain.scores, query.restrictions()), found);
  }
}

template <class Real>
void check_all_shapes(std::uint64_t seed) {
  Random random(seed);
  for (std::size_t length = 0; length <= 5; ++length) {
    for (std::size_t labels = 1; labels <= 4; ++labels) {
      for (const double scale : {1.0, 30.0, 1000.0}) {
        for (int repeat = 0; repeat < 4; ++repeat) {
          const double forbidden = repeat % 2 * 0.2;
          SCOPED_TRACE(testing::Message() << "T " << length << " L " << labels << " scale " << scale
                                          << " forbidden " << forbidden);
          expect_matches(random_chain<Real>(
                             {length, labels, scale, forbidden, repeat / 2 * 0.5, false}, random),
                         random);
          expect_matches(random_sparse_chain<Real>(
                             {length, labels, scale, forbidden, 0, false},
                             repeat < 2 ? Background::zero : Background::forbidden, 0.5, random),
                         random);
        }
      }
    }
  }
}

TEST(ChainSubset, FloatScoresMatchBruteForceInAllTheirDigits) { check_all_shapes<float>(1); }
TEST(ChainSubset, DoubleScoresMatchBruteForceInAllTheirDigits) { check_all_shapes<double>(2); }

TEST(ChainSubset, TinyProbabilitiesOfALongChainOfLargeScoresKeepTheirDigits) {
  // Positions are independent: p(y_t = 1) = e^-d / (1 + e^-d).  log Z is about 1e8.
  const std::size_t length = 1000;
  const TransitionScores<double> tied(2);
  ChainScores<double> scores;
  scores.reset(length, tied);
  for (std::size_t t = 0; t < length; ++t) {
    scores.state(t, 0) = 1e5;
    scores.state(t, 1) = 1e5 - 64;
  }
  SubsetProbability subset(scores);
  const std::vector<Label> one = {1};
  std::vector<Restriction> restrictions;
  for (const std::size_t count : {1, 10, 100}) {
    restrictions.clear();
    for (std::size_t k = 0; k < count; ++k) restrictions.push_back({k * 7, one});
    EXPECT_NEAR(subset.log_probability(restrictions), -64.0 * static_cast<double>(count), 1e-11);
  }
}

TEST(ChainSubset, AQuestionLeavesNoTrace) {
  Random random(3);
  const auto chain = random_chain<double>({8, 3, 1, 0, 0, false}, random);
  SubsetProbability subset(chain.scores);
  const std::vector<Label> two = {0, 2}, one = {1};
  const std::vector<Restriction> first = {{2, two}, {2, one}}, second = {{2, two}};
  EXPECT_EQ(subset.log_probability({}), 0);
  const double before = subset.log_probability(second);
  EXPECT_EQ(subset.log_probability(first), kMinusInfinity);  // both hold: nothing is left
  EXPECT_EQ(subset.log_probability(second), before);
  EXPECT_EQ(subset.log_probability({}), 0);
}

TEST(ChainSubset, AdjacentPositionsAgreeWithTheWindow) {
  Random random(4);
  for (const double density : {0.1, 0.6}) {
    const auto chain =
        random_sparse_chain<double>({60, 12, 1, 0, 0, false}, Background::zero, density, random);
    testing_support::GradientTables<double> tables(chain.scores);
    ForwardBackwardWorkspace<double> work;
    marginals(chain.scores, 1, work, tables.view());
    SubsetProbability subset(chain.scores);
    std::vector<double> scratch;
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<std::vector<Label>> sets(1 + random.below(10));
      std::vector<std::span<const Label>> window;
      std::vector<Restriction> restrictions;
      const std::size_t first = random.below(60 - sets.size());
      for (auto& set : sets) {
        for (Label j = 0; j < 12; ++j) {
          if (random.uniform() < 0.3) set.push_back(j);
        }
        restrictions.push_back({first + window.size(), set});
        window.push_back(set);
      }
      const double p = std::exp(subset.log_probability(restrictions));
      const ChainPosterior<double> posterior{chain.scores, work, tables.state.row(0)};
      EXPECT_NEAR(window_probability(posterior, first, window, scratch), p, 1e-12 * p);
    }
  }
}

}  // namespace
}  // namespace croft::chain_subset_test

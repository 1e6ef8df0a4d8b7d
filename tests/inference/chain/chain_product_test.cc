// The product of a chain and an automaton against the labellings of the chain that it accepts.
#include "croft/inference/chain_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "croft/inference/brute_force.h"
#include "croft/inference/chain_sum.h"
#include "croft/inference/chain_viterbi.h"
#include "croft/structure/chain_constraint.h"
#include "support/random_automaton.h"
#include "support/random_chain.h"

namespace croft::chain_product_test {
namespace {

using testing_support::densify;
using testing_support::GradientTables;
using testing_support::random_automaton;
using testing_support::random_chain;
using testing_support::random_sparse_chain;
using testing_support::RandomChain;

// What is asked of the accepted labellings, one by one.
struct Truth {
  std::map<std::vector<Label>, double> score;
  double best = -std::numeric_limits<double>::infinity(), log_z = best;
  Matrix<double> state;
};

Truth truth_of(const RandomChain<double>& chain, const LabelAutomaton& automaton) {
  Truth truth;
  const RandomChain<double> dense = densify(chain);
  const ChainScores<double>& scores = chain.transitions->sparse() ? dense.scores : chain.scores;
  for_each_labelling(scores, [&](const std::vector<Label>& y, long double s) {
    if (!accepts(automaton, y)) return;
    truth.score[y] = static_cast<double>(s);
    truth.best = std::max(truth.best, static_cast<double>(s));
  });
  truth.state.assign(scores.length(), scores.labels(), 0);
  double total = 0;
  for (const auto& [y, s] : truth.score) total += std::exp(s - truth.best);
  if (total > 0) truth.log_z = truth.best + std::log(total);
  for (const auto& [y, s] : truth.score) {
    for (std::size_t t = 0; t < y.size(); ++t) truth.state(t, y[t]) += std::exp(s - truth.log_z);
  }
  return truth;
}

void expect_one_to_one(const ChainProduct<double>& product, const ChainScores<double>& lifted,
                       const Truth& truth) {
  RandomChain<double> shared;
  shared.transitions = std::make_unique<TransitionScores<double>>(product.transitions());
  shared.scores = lifted;
  shared.scores.transitions = shared.transitions.get();
  if (product.transitions().sparse()) shared = densify(shared);
  auto left = truth.score;
  for_each_labelling(shared.scores, [&](const std::vector<Label>& states, long double s) {
    std::vector<Label> y(states.size());
    product.project(states, y);
    const auto found = left.find(y);
    ASSERT_NE(found, left.end()) << "not accepted, or twice";
    EXPECT_NEAR(static_cast<double>(s), found->second, 1e-12);
    left.erase(found);
  });
  EXPECT_TRUE(left.empty());
}

void expect_inference(const ChainProduct<double>& product, const ChainScores<double>& lifted,
                      const Truth& truth) {
  ViterbiWorkspace<double> viterbi_work;
  ForwardBackwardWorkspace<double> work;
  std::vector<Label> y(lifted.length());
  const double best = viterbi(lifted, viterbi_work, y);
  GradientTables<double> tables(lifted);
  const double log_z = marginals(lifted, 1, work, tables.view());
  if (truth.score.empty()) {
    EXPECT_EQ(best, truth.best);
    EXPECT_EQ(log_z, truth.log_z);
    return;
  }
  EXPECT_NEAR(best, truth.best, 1e-11);
  EXPECT_NEAR(log_z, truth.log_z, 1e-11);
  product.project(y, y);
  ASSERT_TRUE(truth.score.contains(y));
  EXPECT_NEAR(truth.score.at(y), truth.best, 1e-11);
  Matrix<double> mu;
  product.project_states(tables.state, mu);
  for (std::size_t t = 0; t < mu.rows(); ++t) {
    for (Label j = 0; j < mu.columns(); ++j) EXPECT_NEAR(mu(t, j), truth.state(t, j), 1e-11);
  }
}

// Returns whether the product was sparse.
bool check(const RandomChain<double>& chain, const LabelAutomaton& automaton) {
  const Truth truth = truth_of(chain, automaton);
  const bool overlays = !chain.scores.overlay_of.empty();
  const ChainProduct<double> product(*chain.transitions, automaton, overlays);
  EXPECT_LE(static_cast<double>(product.transitions().leaving().size()),
            most_product_edges(*chain.transitions, automaton));
  ChainScores<double> lifted;
  if (!product.lift(chain.scores, lifted)) {
    EXPECT_EQ(chain.scores.length(), 0u);
    EXPECT_TRUE(truth.score.empty());
    return product.transitions().sparse();
  }
  expect_one_to_one(product, lifted, truth);
  expect_inference(product, lifted, truth);
  return product.transitions().sparse();
}

TEST(ChainProduct, DenseChainsWithOverlaysMatchBruteForce) {
  Random random(1);
  for (int repeat = 0; repeat < 150; ++repeat) {
    const auto automaton = random_automaton(3, 1 + random.below(3), 1 + random.below(3), random);
    check(random_chain<double>({static_cast<std::size_t>(repeat % 6), 3, 2, 0.15 * (repeat % 3),
                                0.5 * (repeat % 2), false},
                               random),
          automaton);
  }
}

TEST(ChainProduct, SparseChainsMatchBruteForce) {
  Random random(2);
  std::size_t sparse = 0;
  for (int repeat = 0; repeat < 150; ++repeat) {
    const auto automaton = random_automaton(4, 1 + random.below(4), 1 + random.below(3), random);
    for (const Background background : {Background::zero, Background::forbidden}) {
      sparse += check(
          random_sparse_chain<double>({static_cast<std::size_t>(repeat % 6), 4, 2, 0.1, 0, false},
                                      background, 0.3, random),
          automaton);
    }
  }
  EXPECT_GT(sparse, 60u);
  EXPECT_LT(sparse, 240u);
}

TEST(ChainProduct, CountsOfChunksUnderBioMatchBruteForce) {
  Random random(3);
  const std::vector<std::string> names{"O", "B-A", "I-A", "B-B", "I-B"};
  const ChainConstraint bio = bio_constraint(names);
  for (const CountRange range :
       {CountRange::at_most(1), CountRange::exactly(2), CountRange::at_least(2)}) {
    const LabelAutomaton automaton =
        intersect(count_chunks(names, ChunkScheme::bio, "A", range),
                  count_labels(names.size(), std::vector<Label>{3}, CountRange::at_least(1)));
    auto chain = random_chain<double>({5, 5, 2, 0, 0, false}, random);
    *chain.transitions = masked(*chain.transitions, bio);
    apply(bio, chain.scores);
    check(chain, automaton);
    EXPECT_FALSE(truth_of(chain, automaton).score.empty());
  }
}

TEST(ChainProduct, FloatGivesTheSameLabellingsAsDouble) {
  Random random(4);
  const LabelAutomaton automaton = count_labels(3, std::vector<Label>{1}, CountRange::exactly(2));
  const auto chain = random_chain<float>({6, 3, 2, 0, 0, false}, random);
  const auto wide = testing_support::widen(chain);
  const ChainProduct<float> product(*chain.transitions, automaton);
  ChainScores<float> lifted;
  ASSERT_TRUE(product.lift(chain.scores, lifted));
  ForwardBackwardWorkspace<float> work;
  EXPECT_NEAR(log_partition(lifted, work), truth_of(wide, automaton).log_z, 1e-5);
}

TEST(ChainProduct, NothingAcceptedGivesLogZMinusInfinity) {
  const TransitionScores<double> tied(2);
  const std::vector<Label> any{0, 1};
  const LabelAutomaton one = count_labels(2, any, CountRange::exactly(1));
  const LabelAutomaton more = count_labels(2, any, CountRange::at_least(2));
  const ChainProduct<double> product(tied, intersect(one, more));
  ChainScores<double> scores, lifted;
  ForwardBackwardWorkspace<double> work;
  for (const std::size_t length : {1, 2, 5}) {
    scores.reset(length, tied);
    EXPECT_TRUE(product.lift(scores, lifted));
    EXPECT_EQ(lifted.labels(), 1u);
    EXPECT_EQ(log_partition(lifted, work), -std::numeric_limits<double>::infinity());
  }
}

TEST(ChainProduct, TheEmptySequenceIsTheAutomatonsToAccept) {
  const TransitionScores<double> tied(2);
  ChainScores<double> scores, lifted;
  scores.reset(0, tied);
  const std::vector<Label> label{1};
  const ChainProduct<double> some(tied, count_labels(2, label, CountRange::at_least(1)));
  const ChainProduct<double> few(tied, count_labels(2, label, CountRange::at_most(1)));
  EXPECT_FALSE(some.lift(scores, lifted));
  EXPECT_TRUE(few.lift(scores, lifted));
}

TEST(ChainProduct, ManyLabelsGiveAListOfEdgesThatGrowsWithTheStates) {
  const std::size_t labels = 60, states = 12;
  const TransitionScores<double> tied(labels);
  const LabelAutomaton automaton =
      count_labels(labels, std::vector<Label>{7}, CountRange::at_most(states - 1));
  const ChainProduct<double> product(tied, automaton);
  EXPECT_TRUE(product.transitions().sparse());
  // Label 7 is never seen in state 0; from it, and in the last state, it cannot be counted again.
  EXPECT_EQ(product.states(), labels * states - 1);
  EXPECT_LE(static_cast<double>(product.transitions().leaving().size()),
            most_product_edges(tied, automaton));
  for (std::size_t s = 1; s < product.states(); ++s) {
    EXPECT_LE(product.label_of()[s - 1], product.label_of()[s]);
  }
}

}  // namespace
}  // namespace croft::chain_product_test

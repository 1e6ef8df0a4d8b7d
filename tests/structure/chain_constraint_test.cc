// Masks against the labellings that they should leave.
#include "croft/structure/chain_constraint.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "croft/core/error.h"
#include "support/all_sequences.h"
#include "support/message_of.h"
#include "support/random_chain.h"

namespace croft::chain_constraint_test {
namespace {

using testing_support::for_each_sequence;
using testing_support::random_chain;
using testing_support::random_sparse_chain;
using testing_support::RandomChain;
using Kind = ConstraintBreak::Kind;
using Names = std::vector<std::string>;

ChainConstraint random_constraint(std::size_t labels, double forbidden, Random& random) {
  ChainConstraint constraint(labels);
  for (auto* bits : {&constraint.start, &constraint.end, &constraint.edge}) {
    for (std::size_t k = 0; k < bits->size(); ++k) (*bits)[k] = random.uniform() >= forbidden;
  }
  return constraint;
}

// The sequences that obey, by their names.
std::vector<std::string> obeying(const ChainConstraint& constraint, const Names& names,
                                 std::size_t length) {
  std::vector<std::string> list;
  for_each_sequence(names.size(), length, [&](const std::vector<Label>& y) {
    if (check(constraint, y)) return;
    std::string text;
    for (const Label j : y) text += (text.empty() ? "" : " ") + names[j];
    list.push_back(text);
  });
  std::sort(list.begin(), list.end());
  return list;
}

TEST(ChainConstraint, BioJoinsOnlyChunksOfOneType) {
  const Names names{"I-A", "O", "B-A", "I-B", "B-B", "X-RAY"};
  const ChainConstraint constraint = bio_constraint(names);
  const Names by_hand_2{"B-A B-A", "B-A B-B", "B-A I-A",   "B-A O",     "B-A X-RAY", "B-B B-A",
                        "B-B B-B", "B-B I-B", "B-B O",     "B-B X-RAY", "O B-A",     "O B-B",
                        "O O",     "O X-RAY", "X-RAY B-A", "X-RAY B-B", "X-RAY O",   "X-RAY X-RAY"};
  Names expected = by_hand_2;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(obeying(constraint, names, 2), expected);
  const Names three = obeying(constraint, names, 3);
  EXPECT_TRUE(std::binary_search(three.begin(), three.end(), "B-A I-A I-A"));
  EXPECT_FALSE(std::binary_search(three.begin(), three.end(), "B-A I-A I-B"));
}

TEST(ChainConstraint, BioesChunksReachTheirEnd) {
  const Names names{"B-A", "I-A", "E-A", "S-A", "O"};
  const ChainConstraint constraint = bioes_constraint(names);
  EXPECT_EQ(obeying(constraint, names, 1), (Names{"O", "S-A"}));
  EXPECT_EQ(obeying(constraint, names, 2), (Names{"B-A E-A", "O O", "O S-A", "S-A O", "S-A S-A"}));
  EXPECT_EQ(
      obeying(constraint, names, 3),
      (Names{"B-A E-A O", "B-A E-A S-A", "B-A I-A E-A", "O B-A E-A", "O O O", "O O S-A", "O S-A O",
             "O S-A S-A", "S-A B-A E-A", "S-A O O", "S-A O S-A", "S-A S-A O", "S-A S-A S-A"}));
}

TEST(ChainConstraint, OtherLettersAndBareTagsMeanTheSame) {
  const ChainConstraint expected = bioes_constraint(Names{"B-A", "I-A", "E-A", "S-A"});
  EXPECT_EQ(bioes_constraint(Names{"B-A", "I-A", "L-A", "U-A"}), expected);
  EXPECT_EQ(bioes_constraint(Names{"B", "M", "E", "S"}), expected);
  EXPECT_EQ(bio_constraint(Names{"B", "I", "O"}), bio_constraint(Names{"B-A", "I-A", "O"}));
  EXPECT_NE(bioes_constraint(Names{"B-A", "I-A", "E-B", "S-A"}), expected);
}

TEST(ChainConstraint, LabelsOfAnotherSchemeAreAnError) {
  EXPECT_EQ(message_of<Error>([] {
              bio_constraint(Names{"NN", "VB"});
            }),
            "the constraint bio needs labels such as B-X that start a chunk; the labels are "
            "\"NN\", \"VB\"");
  EXPECT_EQ(message_of<Error>([] {
              bio_constraint(Names{"B-A", "E-A"});
            }),
            "the constraint bio does not fit label \"E-A\": use bioes");
  EXPECT_NE(message_of<Error>([] {
              bioes_constraint(Names{"B-A", "I-A", "O"});
            }).find("\"I-A\""),
            std::string::npos);
  EXPECT_NE(message_of<Error>([] { bioes_constraint(Names(12, "O")); }).find("and 2 more"),
            std::string::npos);
}

TEST(ChainConstraint, CheckTellsTheFirstBreak) {
  const Names names{"O", "B-A", "I-A", "E-A"};
  const ChainConstraint constraint = bioes_constraint(names);
  const auto fault = [&](std::vector<Label> y) { return check(constraint, y); };
  EXPECT_EQ(fault({}), std::nullopt);
  EXPECT_EQ(fault({0, 1, 2, 3}), std::nullopt);
  EXPECT_EQ(fault({2, 0, 1}), (ConstraintBreak{0, Kind::start}));
  EXPECT_EQ(fault({1, 0, 2}), (ConstraintBreak{1, Kind::edge}));
  EXPECT_EQ(fault({0, 2}),
            (ConstraintBreak{1, Kind::edge}));  // before the end, of the same position
  EXPECT_EQ(fault({0, 1}), (ConstraintBreak{1, Kind::end}));
  const std::vector<Label> y{1, 0};
  EXPECT_EQ(describe({1, Kind::edge}, y, names), "\"O\" may not follow \"B-A\"");
  EXPECT_EQ(describe({0, Kind::start}, y, names), "\"B-A\" may not start a sequence");
  EXPECT_EQ(describe({1, Kind::end}, y, names), "\"O\" may not end a sequence");
}

// Every labelling keeps its score where it obeys, and has none otherwise.
template <class Real>
void expect_masked(const RandomChain<Real>& chain, const ChainConstraint& constraint) {
  const TransitionScores<Real> transitions = masked(*chain.transitions, constraint);
  ChainScores<Real> scores = chain.scores;
  scores.transitions = &transitions;
  apply(constraint, scores);
  for_each_sequence(scores.labels(), scores.length(), [&](const std::vector<Label>& y) {
    const double expected =
        check(constraint, y) ? ChainScores<Real>::kForbidden : score<Real>(chain.scores, y);
    const double actual = score<Real>(scores, y);
    const bool both_forbidden =
        !(expected > ChainScores<Real>::kForbidden) && !(actual > ChainScores<Real>::kForbidden);
    if (!both_forbidden) {
      ASSERT_EQ(actual, expected);
    }
  });
}

TEST(ChainConstraint, MaskedScoresForbidExactlyWhatBreaksTheConstraint) {
  Random random(1);
  std::size_t sparse = 0;
  for (int repeat = 0; repeat < 60; ++repeat) {
    const ChainConstraint constraint = random_constraint(4, 0.15 * (repeat % 7), random);
    const testing_support::ChainShape shape{4, 4, 1, 0.1 * (repeat % 2), 0, false};
    auto with_overlays = shape;
    with_overlays.overlay = 0.5;
    expect_masked(random_chain<double>(with_overlays, random), constraint);
    for (const Background background : {Background::zero, Background::forbidden}) {
      const auto chain = random_sparse_chain<float>(shape, background, 0.5, random);
      expect_masked(chain, constraint);
      sparse += masked(*chain.transitions, constraint).sparse();
    }
  }
  EXPECT_GT(sparse, 60u);
}

TEST(ChainConstraint, SparseScoresStaySparseWhereFewEdgesAreLeft) {
  const std::size_t labels = 16;
  const std::vector<Edge> edges{{0, 1}, {3, 4}};
  const std::vector<double> log{1.5, 2.5};
  TransitionScores<double> zero, forbidden;
  zero.assign(labels, Background::zero, edges, std::span<const double>(log));
  forbidden.assign(labels, Background::forbidden, edges, std::span<const double>(log));
  ChainConstraint constraint(labels);
  EXPECT_EQ(masked(zero, constraint).background(), Background::zero);  // nothing to forbid

  constraint.edge.assign(labels * labels, false);
  for (Label j = 0; j < labels; ++j) constraint.set_edge(j, (j + 1) % labels, true);
  const TransitionScores<double> few = masked(zero, constraint);
  ASSERT_TRUE(few.sparse());
  EXPECT_EQ(few.background(), Background::forbidden);
  EXPECT_EQ(few.leaving().size(), labels);
  EXPECT_EQ(few.at(0, 1), 1.5);
  EXPECT_EQ(few.at(1, 2), 0);  // had no feature, and is allowed
  EXPECT_EQ(few.at(0, 2), TransitionScores<double>::kForbidden);

  constraint.set_edge(3, 4, false);
  const TransitionScores<double> listed = masked(forbidden, constraint);
  ASSERT_TRUE(listed.sparse());
  EXPECT_EQ(listed.leaving().size(), 1u);

  constraint.edge.assign(labels * labels, true);
  constraint.set_edge(5, 5, false);
  EXPECT_FALSE(masked(zero, constraint).sparse());
}

TEST(ChainConstraint, DerivativesOfMaskedEdgesGoBackToTheirCells) {
  Random random(2);
  const testing_support::ChainShape shape{1, 12, 1, 0, 0, false};
  for (const double forbidden : {0.2, 0.95}) {
    const ChainConstraint constraint = random_constraint(12, forbidden, random);
    for (const Background background : {Background::zero, Background::forbidden}) {
      const auto chain = random_sparse_chain<double>(shape, background, 0.3, random);
      const auto after = masked(*chain.transitions, constraint);
      std::vector<double> derivative(after.cells(), 0), out(chain.transitions->cells(), 1);
      const auto value = [](Label i, Label j) { return 100.0 * i + j; };
      for (Label i = 0; i < 12; ++i) {
        for (Label j = 0; j < 12; ++j) {
          const auto cell = after.cell(i, j);
          if (cell != after.kNoCell) derivative[cell] = constraint.allows(i, j) ? value(i, j) : 0;
        }
      }
      add_cells<double>(after, derivative, *chain.transitions, out);
      for (Label i = 0; i < 12; ++i) {
        for (Label j = 0; j < 12; ++j) {
          const auto cell = chain.transitions->cell(i, j);
          if (cell == after.kNoCell) continue;
          EXPECT_EQ(out[cell], 1 + (constraint.allows(i, j) ? value(i, j) : 0));
        }
      }
    }
  }
}

TEST(ChainConstraint, AnEmptyChainHasNothingToForbid) {
  const TransitionScores<float> tied(2);
  ChainScores<float> scores;
  scores.reset(0, tied);
  ChainConstraint constraint(2);
  constraint.start.assign(2, false);
  apply(constraint, scores);
  EXPECT_EQ(scores.length(), 0u);
}

}  // namespace
}  // namespace croft::chain_constraint_test

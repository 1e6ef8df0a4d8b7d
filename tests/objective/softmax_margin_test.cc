// Softmax-margin and its costs, against enumeration and the likelihood.
#include "objective/chain_objectives.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "croft/core/error.h"
#include "objective/enumerated_loss.h"
#include "support/message_of.h"

namespace croft::softmax_margin_test {
namespace {

using testing_support::GradientTables;
using testing_support::random_chain;
using testing_support::random_gold;
using testing_support::RandomGold;

constexpr double kInf = std::numeric_limits<double>::infinity();

template <class Real>
void check_against_enumeration(double tolerance) {
  Random random(1);
  std::size_t possible = 0, impossible = 0;
  for (std::size_t length = 0; length <= 5; ++length) {
    for (std::size_t labels = 1; labels <= 4; ++labels) {
      for (int repeat = 0; repeat < 12; ++repeat) {
        const auto chain = random_chain<Real>(
            {length, labels, 2, repeat % 3 * 0.1, repeat % 4 * 0.3, false}, random);
        RandomGold gold = random_gold(length, labels, random);
        if (repeat % 2) {
          for (Label& j : gold.known) j = static_cast<Label>(random.below(labels));
        }
        const LabelCost cost = testing_support::random_cost(labels, random);
        const auto full = testing_support::in_full(chain);
        const auto truth = testing_support::enumerate_loss(
            full.scores, gold.view(),
            [&](const auto& y) { return testing_support::cost_of(cost, gold.view(), y); });
        SoftmaxMargin<Real> margin(cost);
        GradientTables<Real> tables(chain.scores);
        const double value = margin(chain.scores, gold.view(), 1.5, tables.view());
        if (std::isinf(truth.value)) {
          EXPECT_EQ(value, kInf);
          ++impossible;
          continue;
        }
        ++possible;
        ASSERT_NEAR(value, 1.5 * truth.value, tolerance * 10 * (1 + truth.value));
        expect_derivatives(tables, chain.scores, truth, 1.5, tolerance * 10);
      }
    }
  }
  EXPECT_GT(possible, 150u);
  EXPECT_GT(impossible, 20u);
}

TEST(SoftmaxMargin, FloatIsItsDefinitionByEnumeration) { check_against_enumeration<float>(1e-5); }
TEST(SoftmaxMargin, DoubleIsItsDefinitionByEnumeration) {
  check_against_enumeration<double>(1e-12);
}

TEST(SoftmaxMargin, WithoutACostIsTheLikelihoodToTheLastBit) {
  Random random(2);
  const auto chain = random_chain<float>({20, 5, 2, 0, 0.3, false}, random);
  const RandomGold gold = random_gold(20, 5, random);
  const LabelCost nothing = hamming_cost(5, 0);
  SoftmaxMargin<float> margin(nothing);
  ChainLikelihood<float> likelihood;
  GradientTables<float> a(chain.scores), b(chain.scores);
  EXPECT_EQ(margin(chain.scores, gold.view(), 1, a.view()),
            likelihood(chain.scores, gold.view(), 1, b.view()));
  for (std::size_t t = 0; t < 20; ++t) {
    for (Label j = 0; j < 5; ++j) EXPECT_EQ(a.state(t, j), b.state(t, j));
  }
}

TEST(SoftmaxMargin, AHigherCostIsAHigherLoss) {
  Random random(3);
  const auto chain = random_chain<double>({10, 4, 2, 0, 0, false}, random);
  const std::vector<Label> y{0, 1, 2, 3, 0, 1, 2, 3, 0, 1};
  GradientTables<double> tables(chain.scores);
  double before = ChainLikelihood<double>()(chain.scores, y, 1, tables.view());
  for (const double c : {0.1, 1.0, 5.0}) {
    const LabelCost cost = hamming_cost(4, c);
    const double value = SoftmaxMargin<double>(cost)(chain.scores, y, 1, tables.view());
    EXPECT_GT(value, before);
    before = value;
  }
}

Matrix<double> table_of(std::initializer_list<std::initializer_list<double>> rows) {
  Matrix<double> table(rows.size(), rows.size(), 0.0);
  std::size_t r = 0;
  for (const auto& row : rows) std::ranges::copy(row, table.row(r++));
  return table;
}

void expect_table(const LabelCost& cost, const Matrix<double>& expected) {
  ASSERT_EQ(cost.labels(), expected.rows());
  for (Label g = 0; g < cost.labels(); ++g) {
    for (Label j = 0; j < cost.labels(); ++j) {
      EXPECT_EQ(cost(g, j), expected(g, j)) << g << ' ' << j;
    }
  }
}

TEST(LabelCost, HammingCostsEveryMistakeTheSame) {
  expect_table(hamming_cost(3, 2), table_of({{0, 2, 2}, {2, 0, 2}, {2, 2, 0}}));
  expect_table(hamming_cost(1, 2), table_of({{0}}));
}

TEST(LabelCost, GoldLabelsMayHaveCostsOfTheirOwn) {
  expect_table(gold_label_cost(std::vector<double>{1, 0, 3}),
               table_of({{0, 1, 1}, {0, 0, 0}, {3, 3, 0}}));
}

TEST(LabelCost, CostsAreFiniteAndNotNegativeAndRightPredictionsFree) {
  const std::string range = "; the cost of a mistake must be a finite number of 0 or more";
  EXPECT_EQ(message_of<Error>([] { hamming_cost(3, -1); }), "a cost of -1.000000" + range);
  EXPECT_EQ(message_of<Error>([] { hamming_cost(1, kInf); }), "a cost of inf" + range);
  EXPECT_EQ(message_of<Error>([] {
              gold_label_cost(std::vector<double>{1, std::nan("")});
            }),
            "a cost of nan" + range);
  EXPECT_EQ(message_of<Error>([] {
              label_cost(table_of({{0, -2}, {0, 0}}));
            }),
            "a cost of -2.000000" + range);
  EXPECT_EQ(message_of<Error>([] {
              label_cost(table_of({{0, 2}, {0, 1}}));
            }),
            "a cost of 1.000000 for a right prediction, which must cost 0");
}

CostFile read(std::string_view text) {
  LineReader lines(text, "costs.txt");
  return read_cost_file(lines);
}

TEST(LabelCost, LaterRulesOverrideAndStarsLeaveTheDiagonalAlone) {
  const std::vector<std::string_view> names{"O", "B", "I"};
  expect_table(label_cost(read("* * 1\nB * 3\n* I 2\nB I 0.5\n"), names),
               table_of({{0, 1, 2}, {3, 0, 0.5}, {1, 1, 0}}));
  expect_table(label_cost(read("O B 4\n"), names), table_of({{0, 4, 0}, {0, 0, 0}, {0, 0, 0}}));
  expect_table(label_cost(read(""), names), hamming_cost(3, 0).table);
}

TEST(LabelCost, AnUnknownLabelIsAnErrorWithItsLine) {
  const std::vector<std::string_view> names{"O", "B"};
  EXPECT_EQ(
      message_of<Error>([&] { label_cost(read("O B 1\n\nO X 1\n"), names); }),
      "costs.txt:3: a label that the training data does not have: \"X\"; correct its spelling, "
      "or delete the line; \\* is the label named *");
  const std::vector<std::string_view> star{"*", "B"};
  expect_table(label_cost(read("\\* B 1\n"), star), table_of({{0, 1}, {0, 0}}));
}

TEST(LabelCost, OfASetIsTheSmallestOverItsLabels) {
  const LabelCost cost = label_cost(table_of({{0, 4, 2}, {1, 0, 3}, {5, 6, 0}}));
  const LabelSets sets{{0, 2}, {0, 1}};
  const std::vector<Label> known{2, kLabelSetBit, kAnyLabel};
  const Gold gold(known, &sets);
  std::vector<double> row(3);
  position_cost(cost, gold, 0, row);
  EXPECT_EQ(row, (std::vector<double>{5, 6, 0}));
  position_cost(cost, gold, 1, row);
  EXPECT_EQ(row, (std::vector<double>{0, 0, 2}));
  position_cost(cost, gold, 2, row);
  EXPECT_EQ(row, (std::vector<double>{0, 0, 0}));
}

}  // namespace
}  // namespace croft::softmax_margin_test

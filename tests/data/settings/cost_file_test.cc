#include "data/settings/field_files.h"

#include <gtest/gtest.h>

#include "data/text_files.h"

namespace croft::cost_file_test {
namespace {

std::vector<CostRule> read(std::string_view text) {
  LineReader lines(text, "costs.txt");
  return read_cost_file(lines).rules;
}

std::string error_of(std::string_view text) {
  return message_of<InputError>([&] { read(text); });
}

using Rules = std::vector<CostRule>;

TEST(CostFile, ReadsLabelsStarsAndCosts) {
  EXPECT_EQ(read("A B 2\n* B 0.5\nA * 1e-3\n* * 0"),
            (Rules{{"A", "B", 2, 1}, {{}, "B", 0.5, 2}, {"A", {}, 1e-3, 3}, {{}, {}, 0, 4}}));
  EXPECT_TRUE(read("").empty());
}

TEST(CostFile, SpacesSeparateHoweverManyUnlessThereIsATab) {
  EXPECT_EQ(read("  A   B  2 "), (Rules{{"A", "B", 2, 1}}));
  EXPECT_EQ(read("noun phrase\tB\t2"), (Rules{{"noun phrase", "B", 2, 1}}));
}

TEST(CostFile, EmptyLinesAndCarriageReturnsAreNoRules) {
  EXPECT_EQ(read("\r\nA B 2\r\n \t\n\nB A 3\r\n"), (Rules{{"A", "B", 2, 2}, {"B", "A", 3, 5}}));
}

TEST(CostFile, ABackslashInFrontMakesALabelOfAStar) {
  EXPECT_EQ(read("\\* \\\\a 1"), (Rules{{"*", "\\a", 1, 1}}));
  EXPECT_EQ(read("# a\\ 1"), (Rules{{"#", "a\\", 1, 1}}));  // labels as any other
}

TEST(CostFile, ALineWithoutThreeFieldsIsAnError) {
  const std::string problem = "costs.txt:2: a line that is not GOLD PREDICTED COST: ";
  const std::string remedy =
      "; write two labels and a number between TABs or spaces; * is every label";
  EXPECT_EQ(error_of("A B 1\nA B"), problem + "\"A B\"" + remedy);
  EXPECT_EQ(error_of("A B 1\nA B 1 2\n"), problem + "\"A B 1 2\"" + remedy);
  EXPECT_EQ(error_of("A B 1\nA\t\t1\n"), problem + "\"A\\t\\t1\"" + remedy);
  EXPECT_EQ(error_of("A B 1\nA B\t1\n"), problem + "\"A B\\t1\"" + remedy);
}

TEST(CostFile, ACostMustBeAFiniteNumberOfZeroOrMore) {
  for (const std::string cost : {"-1", "nan", "inf", "1e999", "x", "1,5", "0x10"}) {
    EXPECT_EQ(error_of("A B " + cost),
              "costs.txt:1: a cost that is not a finite number of 0 or more: \"" + cost +
                  "\"; give the cost of predicting the second label where the first is right");
  }
  EXPECT_EQ(error_of("A\tB\t"),
            "costs.txt:1: a cost that is not a finite number of 0 or more; give the cost of "
            "predicting the second label where the first is right");
}

TEST(CostFile, ARightPredictionCannotCost) {
  EXPECT_EQ(
      error_of("A A 1"),
      "costs.txt:1: a cost of predicting the right label: \"A A 1\"; delete the line: a right "
      "prediction costs nothing");
  EXPECT_EQ(read("A A 0").size(), 1u);
}

}  // namespace
}  // namespace croft::cost_file_test

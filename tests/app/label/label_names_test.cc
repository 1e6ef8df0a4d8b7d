#include "app/label/label_names.h"

#include <gtest/gtest.h>

namespace croft::label_names_test {
namespace {

using Labels = std::vector<Label>;

TEST(LabelNames, AreFoundByTheirWholeName) {
  const LabelNames names({"O", "B-X", ""});
  EXPECT_EQ(names.find("B-X"), Label{1});
  EXPECT_EQ(names.find(""), Label{2});
  EXPECT_EQ(names.find("B"), std::nullopt);
  EXPECT_EQ(names.find("*"), std::nullopt);
}

TEST(LabelNames, AStarStandsForAnyTextAnywhere) {
  const LabelNames names({"O", "B-X", "I-X", "B-XX", "I-Y-X"});
  EXPECT_EQ(names.matching("*"), (Labels{0, 1, 2, 3, 4}));
  EXPECT_EQ(names.matching("O"), (Labels{0}));
  EXPECT_EQ(names.matching("O*"), (Labels{0}));
  EXPECT_EQ(names.matching("*-X"), (Labels{1, 2, 4}));
  EXPECT_EQ(names.matching("B-*"), (Labels{1, 3}));
  EXPECT_EQ(names.matching("*-*X"), (Labels{1, 2, 3, 4}));
  EXPECT_EQ(names.matching("I*-*-*"), (Labels{4}));
  EXPECT_EQ(names.matching("**O**"), (Labels{0}));
  EXPECT_EQ(names.matching("B-X*X"), (Labels{3}));  // the X is not used twice
  EXPECT_TRUE(names.matching("").empty());
  EXPECT_TRUE(names.matching("B").empty());
}

TEST(LabelNames, ABackslashTakesAStarAsItIs) {
  const LabelNames names({"*", "a*b", "ab", "\\", "a\\b", "\\n"});
  EXPECT_EQ(names.matching("\\*"), (Labels{0}));
  EXPECT_EQ(names.matching("a\\*b"), (Labels{1}));
  EXPECT_EQ(names.matching("\\\\"), (Labels{3}));
  EXPECT_EQ(names.matching("\\"), (Labels{3}));
  EXPECT_EQ(names.matching("a\\b"), (Labels{4}));
  EXPECT_EQ(names.matching("\\n"), (Labels{5}));
  EXPECT_EQ(names.matching("\\\\*"), (Labels{3, 5}));
}

TEST(LabelNames, AMessageShowsTheFirstTen) {
  EXPECT_EQ(LabelNames({"A", "B"}).some(), "the labels are \"A\", \"B\"");
  std::vector<std::string> many;
  for (int k = 0; k < 12; ++k) many.push_back(std::to_string(k));
  EXPECT_TRUE(LabelNames(many).some().ends_with("\"9\" and 2 more"));
}

}  // namespace
}  // namespace croft::label_names_test

#include "core/words/closest_name.h"

#include <gtest/gtest.h>

namespace croft {
namespace {

TEST(ClosestName, NeedsTheFewestChanges) {
  EXPECT_EQ(closest_name("prdict", {"train", "predict", "inspect"}), "predict");  // one inserted
  EXPECT_EQ(closest_name("biose", {"bio", "bioes"}), "bioes");                    // two swapped
  EXPECT_EQ(closest_name("predict", {"predicts", "predict"}), "predict");
  EXPECT_EQ(closest_name("BIO", {"bio", "bioes"}), "bio");  // capitals do not count
}

TEST(ClosestName, IsNoneWhereMoreThanAThirdWouldHaveToChange) {
  EXPECT_EQ(closest_name("abcd", {"abcx"}), "abcx");
  EXPECT_EQ(closest_name("abcd", {"abxy"}), "");
  EXPECT_EQ(closest_name("tcsh", {"bash", "zsh", "fish"}), "");
  EXPECT_EQ(closest_name("abcdef", {"abcdxy"}), "abcdxy");
  EXPECT_EQ(closest_name("l22", {"l1", "l2"}), "l2");
  EXPECT_EQ(closest_name("best", {"k-best"}), "k-best");  // of the longer one
  EXPECT_EQ(closest_name("", {"a"}), "");
  EXPECT_EQ(closest_name("abcd", {}), "");
  EXPECT_EQ(closest_name(std::string(65, 'a'), {std::string_view("a")}), "");
}

TEST(ClosestName, DoesNotCountDashesBefore) {
  EXPECT_EQ(closest_name("--json", {"--cost", "--help"}), "");
  EXPECT_EQ(closest_name("-json", {"--json"}), "--json");
  EXPECT_EQ(closest_name("--", {"--help"}), "");
}

TEST(ClosestName, MayBeginWithTheText) {
  EXPECT_EQ(closest_name("--max-iter", {"--max-terms", "--max-iterations"}), "--max-iterations");
  EXPECT_EQ(closest_name("ma", {"maximum-entropy"}), "");
}

TEST(ClosestName, IsAskedAboutInParentheses) {
  EXPECT_EQ(did_you_mean("--modle", {"--model", "--l2"}), " (did you mean \"--model\"?)");
  EXPECT_EQ(did_you_mean("x", {"--model"}), "");
}

}  // namespace
}  // namespace croft

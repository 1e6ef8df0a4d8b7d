#include "core/closest_name.h"

#include <gtest/gtest.h>

namespace croft {
namespace {

TEST(ClosestName, NeedsTheFewestChanges) {
  EXPECT_EQ(closest_name("prdict", {"train", "predict", "inspect"}), "predict");  // one inserted
  EXPECT_EQ(closest_name("biose", {"bio", "bioes"}), "bioes");                    // two swapped
  EXPECT_EQ(closest_name("predict", {"predict", "predicts"}), "predict");
}

TEST(ClosestName, IsNoneWhereHalfWouldHaveToChange) {
  EXPECT_EQ(closest_name("abcd", {"abxy"}), "abxy");
  EXPECT_EQ(closest_name("abcd", {"axyz"}), "");
  EXPECT_EQ(closest_name("", {"a"}), "");
  EXPECT_EQ(closest_name("abcd", {}), "");
  EXPECT_EQ(closest_name(std::string(65, 'a'), {std::string_view("a")}), "");
}

TEST(ClosestName, IsAskedAboutInParentheses) {
  EXPECT_EQ(did_you_mean("--modle", {"--model", "--l2"}), " (did you mean \"--model\"?)");
  EXPECT_EQ(did_you_mean("x", {"--model"}), "");
}

}  // namespace
}  // namespace croft

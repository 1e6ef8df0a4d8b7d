#include "data/comma_list.h"

#include <gtest/gtest.h>

namespace croft::comma_list_test {
namespace {

using Parts = std::vector<std::string_view>;

TEST(CommaList, EveryCommaSeparatesTwoParts) {
  EXPECT_EQ(between_commas("a,bc,d"), (Parts{"a", "bc", "d"}));
  EXPECT_EQ(between_commas("a"), Parts{"a"});
  EXPECT_EQ(between_commas(""), Parts{""});
  EXPECT_EQ(between_commas(",a,, b,"), (Parts{"", "a", "", " b", ""}));
}

TEST(CommaList, PartsLieInTheList) {
  const std::string_view list = "ab,c";
  EXPECT_EQ(between_commas(list)[1].data(), list.data() + 3);
}

}  // namespace
}  // namespace croft::comma_list_test

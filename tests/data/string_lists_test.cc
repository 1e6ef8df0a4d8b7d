#include "croft/data/string_lists.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace croft::string_lists_test {
namespace {

TEST(StringLists, ListsMayBeEmpty) {
  StringLists lists;
  lists.end_list();
  lists.append("a");
  lists.append("");
  lists.end_list();
  lists.end_list();
  ASSERT_EQ(lists.lists(), 3u);
  EXPECT_EQ(lists.list_begin(0), lists.list_end(0));
  EXPECT_EQ(lists.list_begin(1), 0u);
  EXPECT_EQ(lists.list_end(1), 2u);
  EXPECT_EQ(lists.list_begin(2), lists.list_end(2));
  EXPECT_EQ(lists.item(0), "a");
  EXPECT_EQ(lists.item(1), "");
}

TEST(StringLists, ClearForgetsItemsAndValues) {
  StringLists lists;
  lists.append("a", 2);
  lists.end_list();
  EXPECT_FALSE(lists.all_values_are_one());
  lists.clear();
  EXPECT_EQ(lists.lists(), 0u);
  EXPECT_EQ(lists.items(), 0u);
  EXPECT_TRUE(lists.all_values_are_one());
}

RC_GTEST_PROP(StringLists, ItemsAndValuesComeBackInOrder,
              (const std::vector<std::pair<std::string, bool>>& items)) {
  StringLists lists;
  bool all_one = true;
  for (const auto& [text, is_half] : items) {
    lists.bytes() += text;
    lists.end_item(is_half ? 0.5 : 1.0);
    all_one = all_one && !is_half;
  }
  lists.end_list();
  RC_ASSERT(lists.items() == items.size());
  RC_ASSERT(lists.all_values_are_one() == all_one);
  for (std::size_t k = 0; k < items.size(); ++k) {
    RC_ASSERT(lists.item(k) == items[k].first);
    RC_ASSERT(lists.value(k) == (items[k].second ? 0.5 : 1.0));
  }
}

}  // namespace
}  // namespace croft::string_lists_test

// Ids of rows, and their numbers.
#include "sql/row_ids.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "croft/core/random.h"

namespace croft::row_ids_test {
namespace {

TEST(RowIds, NumbersIdsInTheOrderTheyCome) {
  RowIds ids;
  bool is_new = false;
  EXPECT_EQ(ids.insert(row_id(7), is_new), 0u);
  EXPECT_TRUE(is_new);
  EXPECT_EQ(ids.insert(row_id("page"), is_new), 1u);
  EXPECT_EQ(ids.insert(row_id(0), is_new), 2u);
  EXPECT_EQ(ids.insert(row_id("page"), is_new), 1u);
  EXPECT_FALSE(is_new);
  EXPECT_EQ(ids.find(row_id(7)), 0u);
  EXPECT_EQ(ids.find(row_id(1)), RowIds::kNone);  // the number that the text has inside
  EXPECT_EQ(ids.find(row_id("pages")), RowIds::kNone);
  EXPECT_EQ(to_string(ids[0]), "7");
  EXPECT_EQ(to_string(ids[1]), "page");
}

TEST(RowIds, ATextThatIsAWholeNumberIsThatNumber) {
  EXPECT_FALSE(row_id("12").is_text);
  EXPECT_EQ(row_id("-3").number, -3);
  EXPECT_FALSE(row_id("0").is_text);
  for (const char* text : {"", "012", "+1", "1.0", " 1", "1e3", "-0", "99999999999999999999"}) {
    EXPECT_TRUE(row_id(text).is_text) << text;
  }
  EXPECT_EQ(row_id("-9223372036854775808").number, std::numeric_limits<std::int64_t>::min());
}

TEST(RowIds, FindsWhatAMapFinds) {
  Random random(3);
  RowIds ids;
  std::map<std::string, std::uint32_t> map;
  for (int k = 0; k < 20000; ++k) {
    std::string text = std::to_string(random.below(4000) * 1000003);
    if (random.uniform() < 0.5) text += "x";
    bool is_new = false;
    const std::uint32_t number = ids.insert(row_id(text), is_new);
    const auto [found, inserted] = map.try_emplace(text, number);
    EXPECT_EQ(is_new, inserted);
    EXPECT_EQ(found->second, number);
    EXPECT_EQ(to_string(ids[number]), text);
  }
  EXPECT_EQ(ids.size(), map.size());
}

}  // namespace
}  // namespace croft::row_ids_test

#include "app/view.h"

#include <gtest/gtest.h>

#include "croft/core/error.h"

namespace croft {
namespace {

TEST(View, AFactIsALineForPeopleAndAFieldForPrograms) {
  View view;
  view.fact("node_weights", 12, " of 3 attributes");
  view.fact("labels", {"A", "B"});
  view.line("file size", "7 bytes");
  EXPECT_EQ(view.text,
            "node weights  12 of 3 attributes\n"
            "labels        2\n"
            "file size     7 bytes\n");
  EXPECT_EQ(view.json, (Json{{"node_weights", 12}, {"labels", Json{"A", "B"}}}));
}

TEST(View, ATableHasItsHeadsAboveAndAnObjectForEachRow) {
  View view;
  view.table("parts",
             {{"part", "part", "{:<6}"}, {"weight", "weight", "{:>+9.3g}"}, {"bulk", "", ""}},
             {{"a\tb", 0.5, true}, {"c", -1.25, false}});
  EXPECT_EQ(view.text,
            "\n"
            "part     weight\n"
            "a\\tb       +0.5\n"
            "c         -1.25\n");
  EXPECT_EQ(view.json["parts"], (Json{{{"part", "a\tb"}, {"weight", 0.5}, {"bulk", true}},
                                      {{"part", "c"}, {"weight", -1.25}, {"bulk", false}}}));
}

TEST(View, ATableWithoutANameIsAListForEachColumn) {
  View view;
  view.table("", {{"labels", "", "  {:<4}"}, {"", "", "{:>3}"}, {"words", "", " {}"}},
             {{"A", 1, Json{"x", "y"}}, {"B", 20, Json::array()}});
  EXPECT_EQ(view.text, "  A     1 x, y\n  B    20 \n");
  EXPECT_EQ(view.json["labels"], (Json{"A", "B"}));
  EXPECT_EQ(view.json["words"], (Json{Json{"x", "y"}, Json::array()}));
  EXPECT_EQ(view.json.size(), 2u);
}

TEST(View, FieldsHaveTheirFirstOnesFirstAndNestedOnesInWords) {
  View view;
  view.fields("record", {{"a_b", 1}, {"l2", 0.5}, {"set", {{"size", 3}}}}, {"l2", "none"});
  EXPECT_EQ(view.text,
            "\n"
            "record\n"
            "  l2                      0.5\n"
            "  a b                     1\n"
            "  set size                3\n");
}

TEST(View, LinesAreIndentedAndEscaped) {
  View view;
  view.lines("one\r\n\n  two");
  EXPECT_EQ(view.text, "  one\\x0d\n  \n    two\n");
  view.text.clear();
  view.lines("one\n   \n  two\n", 4, true);
  EXPECT_EQ(view.text, "    one\n      two\n");
}

}  // namespace
}  // namespace croft

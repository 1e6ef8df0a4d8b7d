#include "croft/core/error.h"

#include <gtest/gtest.h>

namespace croft::error_test {
namespace {

TEST(InputError, MessageSaysFileLineColumnTextAndRemedy) {
  const InputError error({"a.conll", 12, 3}, "2 columns where 3 were expected", "foo bar",
                         "give every row the same columns");
  EXPECT_STREQ(
      error.what(),
      "a.conll:12:3: 2 columns where 3 were expected: \"foo bar\"; give every row the same "
      "columns");
  EXPECT_EQ(error.where().line, 12u);
}

TEST(InputError, UnknownPartsAreLeftOut) {
  EXPECT_STREQ(InputError({"", 3, 0}, "empty", "", "").what(), "line 3: empty");
  EXPECT_STREQ(InputError({"f", 0, 7}, "empty", "", "").what(), "f: empty");
}

TEST(Quoted, ControlBytesAreEscapedAndUtf8Stays) {
  EXPECT_EQ(in_quotes("a\tb\x01\"\\"), R"("a\tb\x01\"\\")");
  EXPECT_EQ(in_quotes("jalapeño"), "\"jalapeño\"");
}

TEST(Quoted, ShorteningNeverCutsACharacter) { EXPECT_EQ(in_quotes("aéé", 2), "\"a\"…"); }

}  // namespace
}  // namespace croft::error_test

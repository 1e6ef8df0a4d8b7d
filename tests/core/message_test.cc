// Which words of a message are options, and how front ends spell them.
#include "croft/core/message.h"

#include <gtest/gtest.h>

#include "croft/core/error.h"

namespace croft {
namespace {

std::string in_brackets(const Message& message) {
  return message.spelled([](std::string_view option) { return "[" + std::string(option) + "]"; });
}

TEST(Message, EachNameAfterTwoDashesInALiteralIsAnOption) {
  const Message message("--l1, --min-count=2 and (--a-b): give --no-c");
  EXPECT_EQ(message.text(), "--l1, --min-count=2 and (--a-b): give --no-c");
  EXPECT_EQ(in_brackets(message), "[l1], [min-count]=2 and ([a-b]): give [no-c]");
  EXPECT_EQ(in_brackets("-- a --1 -o --- ->"), "-- a --1 -o --- ->");
  EXPECT_EQ(in_brackets(""), "");
}

TEST(Message, TextOfRunTimeIsLeftAsItIs) {
  const std::string text = "--min-count";
  EXPECT_EQ(in_brackets(text), "--min-count");
  EXPECT_EQ(in_brackets(std::string_view(text)), "--min-count");
  EXPECT_EQ(in_brackets({"--order ", text, " is ", std::string_view("--no"), '-'}),
            "[order] --min-count is --no-");
  static_assert(!std::is_constructible_v<Message, char(&)[8]>);
  static_assert(!std::is_convertible_v<const char*, Message>);
}

TEST(Message, PartsAreJoinedWithTheirOptions) {
  Message message("--a ", std::size_t{7}, ' ', Message("is --b", std::string(" --c")), -1);
  EXPECT_EQ(message.text(), "--a 7 is --b --c-1");
  EXPECT_EQ(in_brackets(message), "[a] 7 is [b] --c-1");
  message.add({"; ", Message::option("d")});
  EXPECT_EQ(in_brackets(message), "[a] 7 is [b] --c-1; [d]");
}

TEST(Message, OnlyWholeNumbersAndCharactersAreWrittenOut) {
  static_assert(!std::is_convertible_v<double, Message>);  // fmt says with how many digits
  static_assert(!std::is_convertible_v<bool, Message>);
  EXPECT_EQ(Message(std::uint64_t{18446744073709551615u}).text(), "18446744073709551615");
}

TEST(Message, AnOptionMayBeKnownAtRunTime) {
  const Message option = Message::option("min-count");
  EXPECT_EQ(option.text(), "--min-count");
  EXPECT_EQ(in_brackets(option), "[min-count]");
}

TEST(Message, ErrorsKeepIt) {
  const UsageError error("--a is ", std::string("--b"));
  EXPECT_STREQ(error.what(), "--a is --b");
  EXPECT_EQ(in_brackets(error.message()), "[a] is --b");
  const UsageError around("rule ", 1, ": ", error.message());
  EXPECT_EQ(in_brackets(around.message()), "rule 1: [a] is --b");
}

TEST(Message, InputErrorsKeepThePlaceApart) {
  const InputError error({"--f", 3, 1}, "no number", "--x", "see --y");
  EXPECT_STREQ(error.what(), "--f:3:1: no number: \"--x\"; see --y");
  EXPECT_EQ(in_brackets(error.message()), "--f:3:1: no number: \"--x\"; see [y]");
  EXPECT_EQ(in_brackets(error.fault()), "no number: \"--x\"; see [y]");
  EXPECT_STREQ(InputError({"g", 4}, error.fault()).what(), "g:4: no number: \"--x\"; see --y");
}

}  // namespace
}  // namespace croft

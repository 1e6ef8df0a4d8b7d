#include "data/settings/field_files.h"

#include <gtest/gtest.h>

#include "data/text_files.h"

namespace croft::transition_group_file_test {
namespace {

std::vector<TransitionGroupRule> read(std::string_view text) {
  LineReader lines(text, "groups.txt");
  return read_transition_group_file(lines).rules;
}

std::string error_of(std::string_view text) {
  return message_of<InputError>([&] { read(text); });
}

using Rules = std::vector<TransitionGroupRule>;

TEST(TransitionGroupFile, ReadsPatternsAndGroups) {
  EXPECT_EQ(read("A B g\n* I-* into\n\n\\* \\\\ -\n"),
            (Rules{{"A", "B", "g", 1}, {"*", "I-*", "into", 2}, {"\\*", "\\\\", {}, 4}}));
}

TEST(TransitionGroupFile, SpacesSeparateHoweverManyUnlessThereIsATab) {
  EXPECT_EQ(read("  A   B  g "), (Rules{{"A", "B", "g", 1}}));
  EXPECT_EQ(read("noun phrase\tB\ta group\r\n"), (Rules{{"noun phrase", "B", "a group", 1}}));
}

TEST(TransitionGroupFile, ErrorsNameTheLineAndTheRemedy) {
  EXPECT_EQ(error_of("A B g\nA B\n").substr(0, 54),
            "groups.txt:2: a line that is not FROM TO GROUP: \"A B\";");
  for (const char* const line : {"A", "A B g h", "A\tB", "A\t\tg", "\tB\tg", "A\tB\t"}) {
    EXPECT_NE(error_of(line).find("a line that is not FROM TO GROUP"), std::string::npos) << line;
  }
  EXPECT_NE(error_of(" \n\n").find("groups.txt: no line"), std::string::npos);
}

}  // namespace
}  // namespace croft::transition_group_file_test

#include <gtest/gtest.h>

#include "data/settings/field_files.h"
#include "data/text_files.h"

namespace croft::expectation_file_test {
namespace {

ExpectationFile read(std::string_view text) {
  LineReader lines(text, "e.txt");
  return read_expectation_file(lines);
}
std::string error_of(std::string_view text) {
  return message_of<InputError>([&] { read(text); });
}

TEST(ExpectationFile, HasAnAttributeAndSharesOfLabelsALine) {
  const ExpectationFile file = read("w[0]=the B-NP=0.9 I-NP=0.05\n\na\tA=B>=0.5\tone label<=0.1\n");
  ASSERT_EQ(file.rules.size(), 2u);
  EXPECT_EQ(
      file.rules[0],
      (ExpectationRule{"w[0]=the",
                       {{"B-NP", ShareRelation::equal, 0.9}, {"I-NP", ShareRelation::equal, 0.05}},
                       1}));
  EXPECT_EQ(file.rules[1], (ExpectationRule{"a",
                                            {{"A=B", ShareRelation::at_least, 0.5},
                                             {"one label", ShareRelation::at_most, 0.1}},
                                            3}));
}

TEST(ExpectationFile, AnAttributeMayHaveADistributionAndBounds) {
  EXPECT_EQ(read("a A=0.5\na A>=0.4 A<=0.6\n").rules.size(), 2u);
}

TEST(ExpectationFile, OtherLinesAreErrors) {
  EXPECT_EQ(error_of("a\n"),
            "e.txt:1: a line that says nothing of a label: \"a\"; write lines ATTRIBUTE "
            "LABEL=SHARE LABEL=SHARE …");
  for (const std::string field : {"A", "=0.5", ">=0.5"}) {
    EXPECT_EQ(error_of("a " + field + "\n"),
              "e.txt:1: not LABEL=SHARE, LABEL>=SHARE or LABEL<=SHARE: \"" + field +
                  "\"; write a label, =, and how often it is there, from 0 to 1");
  }
  for (const std::string share : {"1.5", "-0.1", "nan", "x"}) {
    EXPECT_EQ(error_of("a A=" + share + "\n"),
              "e.txt:1: a share that is not from 0 to 1: \"" + share +
                  "\"; it is how often the label is there, where the attribute is");
  }
  EXPECT_EQ(error_of("a A=0.5 B>=0.1\n"),
            "e.txt:1: a distribution (=) and bounds (>=, <=) in one line: \"B>=0.1\"; give the "
            "bounds a line of their own");
  EXPECT_EQ(error_of("a A=0.5 A=0.1\n"), "e.txt:1: a label twice: \"A\"; name each label once");
  EXPECT_EQ(error_of("a A=0.7 B=0.4\n"),
            "e.txt:1: shares that add up to more than 1: \"a\"; the shares of a distribution add "
            "up to 1, or to less where the other labels have the rest");
  EXPECT_EQ(error_of("a A=0.5\na B=0.5\n"),
            "e.txt:2: an attribute that an earlier line names: \"a\"; put what is expected of it "
            "in one line");
  EXPECT_EQ(error_of("\n"),
            "e.txt: no expectation; write lines ATTRIBUTE LABEL=SHARE LABEL=SHARE …");
}

}  // namespace
}  // namespace croft::expectation_file_test

#include "data/settings/field_files.h"

#include <gtest/gtest.h>

namespace croft::penalty_file_test {
namespace {

using Kind = PenaltyRule::Test;

std::vector<PenaltyRule> rules_of(std::string_view text, PenaltyTests tests) {
  LineReader lines(text, "p.txt");
  return read_penalty_file(lines, tests).rules;
}

TEST(PenaltyFile, HasLinesOfTestLabelAndPenalty) {
  EXPECT_EQ(rules_of("* O 1\n\n 0=the  B-*  -2.5 \n12=a=b\tI X\t1e-3\n", PenaltyTests::cells),
            (std::vector<PenaltyRule>{{Kind::always, 0, "", "O", 1, 1},
                                      {Kind::cell, 0, "the", "B-*", -2.5, 3},
                                      {Kind::cell, 12, "a=b", "I X", 1e-3, 4}}));
}

TEST(PenaltyFile, AttributesAreTestedByNameAndABackslashTakesAStarAsItIs) {
  EXPECT_EQ(rules_of("* O 1\n\\* O 2\n\\\\a O 3\nw=a b\tO\t4\n0=x O 5\n", PenaltyTests::attributes),
            (std::vector<PenaltyRule>{{Kind::always, 0, "", "O", 1, 1},
                                      {Kind::attribute, 0, "*", "O", 2, 2},
                                      {Kind::attribute, 0, "\\a", "O", 3, 3},
                                      {Kind::attribute, 0, "w=a b", "O", 4, 4},
                                      {Kind::attribute, 0, "0=x", "O", 5, 5}}));
}

std::string message(std::string_view text) {
  try {
    rules_of(text, PenaltyTests::cells);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PenaltyFile, WrongLinesAreNamed) {
  for (const char* line : {"* O", "* O 1 2", "*", "\tO\t1", "*\t\t1"}) {
    EXPECT_TRUE(message(std::string("* O 1\n") + line + "\n")
                    .starts_with("p.txt:2: a line that is not TEST LABEL PENALTY"))
        << line;
  }
  for (const char* test :
       {"the", "x=the", "=the", "0=", "-1=a", "1.5=a", "99999999999999999999=a"}) {
    EXPECT_TRUE(message(std::string(test) + " O 1\n")
                    .starts_with("p.txt:1: a test that is neither * nor COLUMN=TEXT"))
        << test;
  }
  for (const char* number : {"x", "inf", "-inf", "nan", "1e999", "0x1"}) {
    EXPECT_TRUE(message(std::string("* O ") + number + "\n")
                    .starts_with("p.txt:1: a penalty that is not a finite number"))
        << number;
  }
  for (const char* number : {"1e7", "-1e20", "1.7e308"}) {
    EXPECT_TRUE(message(std::string("* O ") + number + "\n")
                    .starts_with("p.txt:1: a penalty beyond 1e6 nats"))
        << number;
  }
  EXPECT_EQ(message("* O -1e6\n* O 1e6\n"), "");
}

TEST(PenaltyFile, OneWithoutALineIsAMistake) {
  EXPECT_TRUE(message("").starts_with("p.txt: no penalty"));
  EXPECT_TRUE(message(" \n\t\n").starts_with("p.txt: no penalty"));
}

}  // namespace
}  // namespace croft::penalty_file_test

#include "data/settings/field_files.h"

#include <gtest/gtest.h>

#include "data/text_files.h"

namespace croft::code_file_test {
namespace {

std::vector<std::pair<std::string, std::string>> read(std::string_view text) {
  LineReader lines(text, "code");
  return read_code_file(lines);
}

std::string error_of(std::string_view text) {
  return message_of<InputError>([&] { read(text); });
}

TEST(CodeFile, HasALabelAndItsBitsALine) {
  EXPECT_EQ(read("B-X\t01-\n\nout of\t110\r\n# 000\n"),
            (std::vector<std::pair<std::string, std::string>>{
                {"B-X", "01-"}, {"out of", "110"}, {"#", "000"}}));
}

TEST(CodeFile, SaysWhichLineIsWrong) {
  const std::string remedy = "; write a label and its bits (0, 1 and -) between TABs or spaces";
  EXPECT_EQ(error_of("A 01\nB\n"), "code:2: a line that is not LABEL BITS: \"B\"" + remedy);
  EXPECT_EQ(error_of("A 012\n"), "code:1: a line that is not LABEL BITS: \"A 012\"" + remedy);
  EXPECT_EQ(error_of("A 01\nB 011\n"),
            "code:2: a word of 3 bits, where others have 2: \"011\"; give all labels words of one "
            "length");
  EXPECT_EQ(error_of("A 01\nA 10\n"),
            "code:2: a label that has a word already: \"A\"; delete one of the lines");
  EXPECT_EQ(error_of("\n \n"), "code: no line" + remedy);
}

}  // namespace
}  // namespace croft::code_file_test

#include "data/settings/field_files.h"

#include <gtest/gtest.h>

#include "data/text_files.h"

namespace croft::label_weight_file_test {
namespace {

LabelWeightFile read(std::string_view text) {
  LineReader lines(text, "weights.txt");
  return read_label_weight_file(lines);
}

std::string error_of(std::string_view text) {
  return message_of<InputError>([&] { read(text); });
}

TEST(LabelWeightFile, HasALabelATabAndAWeightALine) {
  const LabelWeightFile file = read("A\t2\n\na label\twith tabs\t0.5\r\n");
  ASSERT_EQ(file.rules.size(), 2u);
  EXPECT_EQ(file.rules[0].label, "A");
  EXPECT_EQ(file.rules[1].label, "a label\twith tabs");
  EXPECT_EQ(file.rules[1].weight, 0.5);
  EXPECT_EQ(file.rules[1].line, 3u);
}

TEST(LabelWeightFile, LabelsThatItDoesNotNameHaveWeightOne) {
  const std::vector<std::string_view> names{"A", "B", "C"};
  EXPECT_EQ(weights_of(read("B\t3\n"), names), (std::vector<double>{1, 3, 1}));
}

TEST(LabelWeightFile, ALabelThatTheDataDoesNotHaveIsAnErrorWithItsLine) {
  const std::vector<std::string_view> names{"A"};
  EXPECT_EQ(
      message_of<InputError>([&] { weights_of(read("A\t1\nD\t2\n"), names); }),
      "weights.txt:2: a label that the data does not have: \"D\"; write it as the data has it, "
      "or delete the line");
}

TEST(LabelWeightFile, WeightsArePositiveNumbersInRange) {
  for (const std::string weight : {"0", "-1", "nan", "inf", "1e13", "1e-13", "x", "1 "}) {
    EXPECT_EQ(
        error_of("A\t1\nB\t" + weight + "\n"),
        "weights.txt:2: a weight that is not from 1e-12 to 1e12: " + in_quotes(weight) +
            "; 1 is as without this file, 2 as if each example of the label were there twice");
  }
}

TEST(LabelWeightFile, OtherLinesAreErrors) {
  for (const std::string line : {"A 1", "A", "\t1"}) {
    EXPECT_EQ(error_of(line + "\n"),
              "weights.txt:1: a line that is not LABEL TAB WEIGHT: " + in_quotes(line) +
                  "; write a label of the data, a TAB and a number above 0");
  }
  EXPECT_EQ(error_of("A\t1\nA\t2\n"),
            "weights.txt:2: a label that an earlier line names: \"A\"; delete one of the lines");
  EXPECT_EQ(error_of("\n\n"), "weights.txt: no weight of a label; write lines LABEL TAB WEIGHT");
}

}  // namespace
}  // namespace croft::label_weight_file_test

#include "data/settings/field_files.h"

#include <gtest/gtest.h>

#include "data/text_files.h"

namespace croft::weight_file_test {
namespace {

std::vector<double> read(std::string_view text) {
  LineReader lines(text, "weights.txt");
  return read_weight_file(lines);
}

std::string error_of(std::string_view text) {
  return message_of<InputError>([&] { read(text); });
}

TEST(WeightFile, HasOneNumberALine) {
  EXPECT_EQ(read("1\n0.5\r\n+2e3\n"), (std::vector<double>{1, 0.5, 2000}));
  EXPECT_EQ(read("3"), (std::vector<double>{3}));
  EXPECT_TRUE(read("").empty());
}

TEST(WeightFile, WeightsArePositiveFiniteNumbers) {
  for (const std::string weight :
       {"0", "-0", "-1", "nan", "inf", "1e999", "1e-999", "x", " 1", "1 ", "1 2", "1\t"}) {
    EXPECT_EQ(error_of("1\n" + weight + "\n1\n"),
              "weights.txt:2: a weight that is not a positive finite number: " + in_quotes(weight) +
                  "; write one number above 0 for each sequence, a line each");
  }
}

TEST(WeightFile, AnEmptyLineIsNoWeight) {
  EXPECT_EQ(error_of("1\n\n1\n"),
            "weights.txt:2: an empty line where a weight is expected; write one number above 0 for "
            "each sequence, a line each");
}

}  // namespace
}  // namespace croft::weight_file_test

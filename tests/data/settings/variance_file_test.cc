// Variances by the names of features: which line counts, and what is no line.
#include "data/settings/field_files.h"

#include <gtest/gtest.h>

#include "croft/core/error.h"

namespace croft::variance_file_test {
namespace {

VarianceFile read(std::string_view text) {
  LineReader lines(text, "v.txt");
  return read_variance_file(lines);
}

std::string error_of(std::string_view text, const std::vector<std::string_view>& names) {
  try {
    variances_of(read(text), names);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(VarianceFile, ALaterLineOverridesAnEarlierOneAndTheRestIsOne) {
  const VarianceFile file = read("word:* 4\n\nword:the\t0.25\nB 9\n");
  const std::vector<std::string_view> names{"word:a", "word:the", "suffix", "B"};
  EXPECT_EQ(variances_of(file, names), (std::vector<double>{4, 0.25, 1, 9}));
}

TEST(VarianceFile, APatternThatFitsNoNameIsAnErrorWithItsLine) {
  const std::string error = error_of("word:* 4\nwrod:* 2\n", {"word:a"});
  EXPECT_TRUE(error.starts_with("v.txt:2: ")) << error;
  EXPECT_NE(error.find("\"wrod:*\""), error.npos) << error;
  EXPECT_NE(error_of("* 2\n", {}), "");
}

TEST(VarianceFile, APatternWhoseNamesAreAllOverriddenFits) {
  EXPECT_EQ(error_of("word:* 4\n* 0.25\n", {"word:a"}), "");
}

TEST(VarianceFile, WhatIsNoLineIsAnErrorWithItsLine) {
  for (const char* line :
       {"word", "a 1 2", " 1", "a x", "a 0", "a -1", "a inf", "a nan", "a 1e13", "a 1e-13", "a "}) {
    const std::string error = error_of("b 1\n" + std::string(line) + "\n", {"a", "b"});
    EXPECT_TRUE(error.starts_with("v.txt:2: ")) << line << ": " << error;
  }
  EXPECT_TRUE(error_of("\n\n", {"a"}).starts_with("v.txt: no variance"));
}

}  // namespace
}  // namespace croft::variance_file_test

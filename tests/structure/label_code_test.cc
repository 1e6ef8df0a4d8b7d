// Codes of labels: their distances, and the wrong bits that they correct.
#include "structure/label_code.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "croft/core/error.h"

namespace croft::label_code_test {
namespace {

Label nearest(const LabelCode& code, std::span<const std::uint8_t> bits) {
  std::vector<double> wrong(code.labels);
  hamming_distances(code, bits, wrong);
  return static_cast<Label>(std::ranges::min_element(wrong) - wrong.begin());
}

// Every way to turn at most `most` bits of `word` over.
void expect_corrected(const LabelCode& code, Label label, std::vector<std::uint8_t> word,
                      std::size_t from, std::size_t most) {
  EXPECT_EQ(nearest(code, word), label);
  for (std::size_t b = from; most > 0 && b < word.size(); ++b) {
    word[b] ^= 1;
    expect_corrected(code, label, word, b + 1, most - 1);
    word[b] ^= 1;
  }
}

TEST(LabelCode, OfDistanceDCorrectsHalfOfDLessOneWrongBits) {
  Random random(1);
  for (const auto& [labels, bits] :
       {std::pair{3u, 7u}, {5u, 12u}, {8u, 15u}, {4u, 20u}, {16u, 14u}}) {
    const LabelCode code = random_code(labels, bits, random, 200);
    const std::size_t d = distance(code).least;
    ASSERT_GE(d, 1u);
    for (Label j = 0; j < labels; ++j) {
      std::vector<std::uint8_t> word(bits);
      for (std::size_t b = 0; b < bits; ++b) word[b] = code.at(j, b);
      expect_corrected(code, j, word, 0, (d - 1) / 2);
    }
  }
}

TEST(LabelCode, MoreDrawsNeverMakeAWorseCode) {
  Random few(2), many(2);
  EXPECT_LE(distance(random_code(20, 15, few, 1)).least,
            distance(random_code(20, 15, many, 300)).least);
}

TEST(LabelCode, OneVsRestHasABitALabelAndDistanceTwo) {
  const LabelCode code = one_vs_rest_code(5);
  EXPECT_EQ(code.bits, 5u);
  EXPECT_EQ(distance(code).least, 2u);
  EXPECT_EQ(distance(code).pairs, 10u);
  for (Label j = 0; j < 5; ++j) {
    for (std::size_t b = 0; b < 5; ++b) EXPECT_EQ(code.at(j, b), j == b ? 1 : 0);
  }
}

TEST(LabelCode, AllPairsCareForTheirTwoLabelsOnly) {
  const LabelCode code = all_pairs_code(4);
  EXPECT_EQ(code.bits, 6u);
  for (std::size_t b = 0; b < 6; ++b) {
    std::size_t zeros = 0, ones = 0;
    for (Label j = 0; j < 4; ++j) {
      zeros += code.at(j, b) == 0;
      ones += code.at(j, b) == 1;
    }
    EXPECT_EQ(zeros, 1u);
    EXPECT_EQ(ones, 1u);
  }
  EXPECT_EQ(distance(code).least, 1u);
  // A label that wins all of its pairs is the nearest one.
  std::vector<std::uint8_t> bits(6);
  for (std::size_t b = 0; b < 6; ++b) bits[b] = code.at(2, b) == 0 ? 0 : 1;
  EXPECT_EQ(nearest(code, bits), 2u);
}

TEST(LabelCode, OfTwoLabelsEveryCodeHasOneBit) {
  EXPECT_EQ(one_vs_rest_code(2).bits, 1u);
  EXPECT_EQ(all_pairs_code(2).bits, 1u);
  EXPECT_EQ(one_vs_rest_code(2), all_pairs_code(2));
}

TEST(LabelCode, TooFewBitsAreRefused) {
  Random random(3);
  EXPECT_THROW(random_code(9, 3, random), UsageError);
  EXPECT_EQ(usual_bits(2), 10u);
  EXPECT_EQ(usual_bits(406), 87u);
}

TEST(LabelCode, BitsAreChosenInTheirOrder) {
  const LabelCode code = one_vs_rest_code(4);
  const std::vector<std::size_t> bits = {3, 0};
  const LabelCode some = choose_bits(code, bits);
  EXPECT_EQ(some.bits, 2u);
  EXPECT_EQ(some.at(3, 0), 1);
  EXPECT_EQ(some.at(0, 1), 1);
  EXPECT_EQ(distance(some).least, 0u);
}

}  // namespace
}  // namespace croft::label_code_test

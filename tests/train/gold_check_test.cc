#include "train/gold_check.h"

#include <gtest/gtest.h>

#include <optional>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "support/all_sequences.h"

namespace croft::gold_check_test {
namespace {

const std::vector<std::string> kNames = {"O", "B-X", "I-X"};

// Two files of two sequences.
ChainData data_of(const std::vector<std::vector<Label>>& sequences) {
  ChainData data;
  std::uint32_t line = 1;
  for (const std::vector<Label>& labels : sequences) {
    data.label.insert(data.label.end(), labels.begin(), labels.end());
    data.sequence_begin.push_back(data.label.size());
    data.first_line.push_back(line);
    line += static_cast<std::uint32_t>(labels.size()) + 1;
  }
  return data;
}

std::string message(const ChainConstraint& constraint, const ChainData& data) {
  try {
    check_gold(constraint, data, kNames, [](std::size_t n) { return n < 2 ? "a.txt" : "b.txt"; });
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(GoldCheck, ALabelThatBreaksTheConstraintIsNamedWithFileAndLine) {
  const ChainConstraint bio = bio_constraint(kNames);
  EXPECT_EQ(message(bio, data_of({{0, 1, 2}, {1, 2, 0}})), "");
  const auto begins = [&](const ChainData& data, const std::string& text) {
    EXPECT_EQ(message(bio, data).substr(0, text.size()), text);
  };
  begins(data_of({{0, 1}, {1, 0, 2, 2}}),
         "a.txt:6: training data that breaks the constraint: \"I-X\" may not follow \"O\"; ");
  begins(data_of({{0}, {0}, {2, 1}}),
         "b.txt:5: training data that breaks the constraint: \"I-X\" may not start a sequence; ");
  ChainConstraint closed = bio;
  closed.end[1] = false;
  EXPECT_NE(message(closed, data_of({{0, 1}})).find("a.txt:2: "), std::string::npos);
  EXPECT_NE(message(closed, data_of({{0, 1}})).find("may not end a sequence"), std::string::npos);
}

TEST(GoldCheck, PartialLabelsNeedOneLabellingThatFits) {
  const ChainConstraint bio = bio_constraint(kNames);
  ChainData data = data_of({{kAnyLabel, kLabelSetBit, kAnyLabel, 2}});
  data.label_sets.label = {0, 2};
  data.label_sets.begin = {0, 2};
  EXPECT_EQ(message(bio, data), "");
  data.label[2] = 0;
  EXPECT_NE(message(bio, data).find("a.txt:4: training data that breaks the constraint: no label "
                                    "that fits may follow those that fit before it"),
            std::string::npos);
  data.label[3] = kAnyLabel;
  data.label[0] = 2;
  EXPECT_NE(message(bio, data).find("a.txt:1: training data that breaks the constraint: no label "
                                    "that fits may start a sequence"),
            std::string::npos);
}

// By enumeration, with more labels than a machine word has bits in one case.
TEST(GoldCheck, FindsALabellingWhereThereIsOne) {
  Random random(1);
  std::size_t fits = 0, fails = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const std::size_t labels = repeat % 10 == 0 ? 70 : 1 + random.below(4);
    const std::size_t length = 1 + random.below(labels > 10 ? 2 : 4);
    ChainConstraint constraint(labels);
    for (auto* bits : {&constraint.start, &constraint.end, &constraint.edge}) {
      for (std::size_t k = 0; k < bits->size(); ++k) (*bits)[k] = random.below(5) < 2;
    }
    ChainData data = data_of({std::vector<Label>(length)});
    for (Label& known : data.label) {
      known = random.below(2) == 0 ? kAnyLabel : static_cast<Label>(random.below(labels));
    }
    data.label[random.below(length)] = kAnyLabel;
    const Gold gold = data.gold(0);
    bool expected = false;
    testing_support::for_each_sequence(labels, length, [&](const std::vector<Label>& y) {
      bool fit = !check(constraint, y);
      for (std::size_t t = 0; t < length; ++t) fit = fit && gold.allows(t, y[t]);
      expected = expected || fit;
    });
    const std::vector<std::string> names(labels, "L");
    if (expected) {
      EXPECT_NO_THROW(check_gold(constraint, data, names, [](std::size_t) { return "f"; }));
    } else {
      EXPECT_THROW(check_gold(constraint, data, names, [](std::size_t) { return "f"; }),
                   InputError);
    }
    ++(expected ? fits : fails);
  }
  EXPECT_GT(fits, 50u);
  EXPECT_GT(fails, 50u);
}

}  // namespace
}  // namespace croft::gold_check_test

#include "app/label/rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "croft/core/error.h"
#include "support/all_sequences.h"

namespace croft::rules_test {
namespace {

const LabelNames kNames({"O", "B-X", "I-X", "B-Y Z"});

Rules rules_of(const std::vector<std::string>& texts, InputFormat format = InputFormat::attributes,
               std::size_t columns = 0) {
  ExtractionConfig extraction;
  extraction.format = format;
  extraction.columns = columns;
  return parse_rules(texts, kNames, ChunkScheme::bio, extraction);
}

using Test = std::function<bool(const std::vector<Label>&)>;

void expect_means(const std::string& text, const Test& test) {
  SCOPED_TRACE(text);
  const Rules rules = rules_of({text});
  ASSERT_EQ(rules.automata.size(), 1u);
  for (std::size_t length = 0; length < 5; ++length) {
    testing_support::for_each_sequence(kNames.size(), length, [&](const std::vector<Label>& y) {
      EXPECT_EQ(obeys(rules, {}, y), test(y));
    });
  }
}

std::size_t count(const std::vector<Label>& y, Label label) {
  return static_cast<std::size_t>(std::ranges::count(y, label));
}
std::size_t chunks_of_x(const std::vector<Label>& y) {
  std::size_t chunks = 0;
  for (std::size_t t = 0; t < y.size(); ++t) {
    const bool joined = t > 0 && (y[t - 1] == 1 || y[t - 1] == 2);
    chunks += y[t] == 1 || (y[t] == 2 && !joined);
  }
  return chunks;
}

TEST(Rules, CountChunksAndLabels) {
  expect_means("at-most 1 X", [](const auto& y) { return chunks_of_x(y) <= 1; });
  expect_means("exactly 2 X", [](const auto& y) { return chunks_of_x(y) == 2; });
  expect_means("  at-least\t1   * ",
               [](const auto& y) { return chunks_of_x(y) + count(y, 3) >= 1; });
  expect_means("at-most 0 \"Y Z\"", [](const auto& y) { return count(y, 3) == 0; });
  expect_means("at-most 2 label O", [](const auto& y) { return count(y, 0) <= 2; });
  expect_means("exactly 1 label *-X", [](const auto& y) { return count(y, 1) + count(y, 2) == 1; });
  expect_means("occurs I-X", [](const auto& y) { return count(y, 2) > 0; });
  expect_means("occurs \"B-Y Z\"", [](const auto& y) { return count(y, 3) > 0; });
  expect_means("not-both O \"B-Y Z\"",
               [](const auto& y) { return count(y, 0) == 0 || count(y, 3) == 0; });
}

TEST(Rules, SeveralMustAllHold) {
  const Rules rules = rules_of({"occurs O", "at-most 1 label O"});
  EXPECT_TRUE(obeys(rules, {}, std::vector<Label>{0, 1}));
  EXPECT_FALSE(obeys(rules, {}, std::vector<Label>{1, 1}));
  EXPECT_FALSE(obeys(rules, {}, std::vector<Label>{0, 0}));
}

TEST(Rules, AgreementGroupsEqualCells) {
  const Rules rules = rules_of({"agree 1"}, InputFormat::columns, 2);
  ColumnSequence rows;
  for (const char* row : {"a x O", "b y O", "c x O", "d z O", "e y O"}) rows.append_row(row);
  TextSequence text;
  for (int t = 0; t < 5; ++t) text.node.end_list();
  const auto groups = agreeing_positions(rules.agreements, {text, &rows});
  EXPECT_EQ(groups, (std::vector<std::vector<std::size_t>>{{0, 2}, {1, 4}}));
  EXPECT_TRUE(obeys(rules, groups, std::vector<Label>{1, 2, 1, 0, 2}));
  EXPECT_FALSE(obeys(rules, groups, std::vector<Label>{1, 2, 1, 0, 0}));
  EXPECT_THROW(agreeing_positions(rules.agreements, {text}), Error);
}

TEST(Rules, AgreementGroupsEqualAttributesOfAPrefix) {
  const Rules rules = rules_of({"agree w="});
  TextSequence text;
  for (const std::vector<const char*>& item :
       {std::vector<const char*>{"w=a", "w=a", "b"}, {"b"}, {"w=c", "w=a"}, {"w=c"}}) {
    for (const char* name : item) text.node.append(name);
    text.node.end_list();
  }
  EXPECT_EQ(agreeing_positions(rules.agreements, {text}),
            (std::vector<std::vector<std::size_t>>{{0, 2}, {2, 3}}));
}

void expect_refused(const std::string& rule, const std::string& part,
                    InputFormat format = InputFormat::attributes) {
  SCOPED_TRACE(rule);
  try {
    rules_of({rule}, format, 2);
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with("--rule \"")) << what;
    EXPECT_NE(what.find(part), std::string::npos) << what;
  }
}

TEST(Rules, OnesThatCannotBeReadAreNamedWithWhatMayBeWritten) {
  for (const char* rule : {"", " ", "at-most", "at-most 2", "at-most 2 X Y", "occurs", "forbid X",
                           "not-both O", "agree", "agree 1 2", "at-most 2 label B-X I-X"}) {
    expect_refused(rule, "not a rule; write at-most");
  }
  for (const char* number : {"two", "-1", "1.5", "1000001", "99999999999999999999"}) {
    expect_refused(std::string("at-most ") + number + " X", "is not a whole number");
  }
  expect_refused("occurs \"B-X", "a quote without its end");
  expect_refused("occurs B-Q", "no label of the model is, or matches, \"B-Q\"; the labels are");
  expect_refused("not-both O Q", "no label of the model is \"Q\"");
  expect_refused("not-both O O", "itself");
  expect_refused("at-most 1 Q", "no label starts a chunk of type \"Q\"");
  for (const char* column : {"2", "x", "-1"}) {
    expect_refused(std::string("agree ") + column, "is not the number of a column",
                   InputFormat::columns);
  }
}

TEST(Rules, ChunksNeedChunkLabels) {
  const std::vector<std::string> rules = {"at-most 1 X"};
  EXPECT_THROW(parse_rules(rules, kNames, ChunkScheme::none, {}), UsageError);
}

}  // namespace
}  // namespace croft::rules_test

#include "data/span_lines.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "data/text_files.h"

namespace croft::span_lines_test {
namespace {

using Spans = std::vector<LabelledSpan>;

std::vector<SpanSequence> read_all(std::string_view text, std::size_t expected = 0) {
  SpanReader reader(LineReader(text, "d.jsonl"), expected);
  std::vector<SpanSequence> all;
  for (SpanSequence one; reader.next(one);) all.push_back(one);
  return all;
}

std::string error_of(std::string_view text, std::size_t expected = 0) {
  return message_of<InputError>([&] { read_all(text, expected); });
}

TEST(SpanReader, TokensAndSpansAreReadInOrderOfTheirPlaces) {
  const auto all = read_all(
      "{\"id\": 7, \"tokens\": [\"Real\", \"Madrid\", \"ganó\"], \"spans\": [[2, 3, \"V\"], "
      "[0, 2, \"ORG\"]]}\n\n  \n{\"tokens\":[\"a b\"]}\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].cells, (std::vector<std::string>{"Real", "Madrid", "ganó"}));
  EXPECT_EQ(*all[0].spans, (Spans{{0, 2, "ORG"}, {2, 3, "V"}}));
  EXPECT_EQ(all[0].line_number, 1u);
  EXPECT_NE(all[0].line.find("\"id\": 7"), std::string::npos);
  EXPECT_EQ(all[1].cells, (std::vector<std::string>{"a b"}));
  EXPECT_FALSE(all[1].spans);
  EXPECT_EQ(all[1].line_number, 4u);
}

TEST(SpanReader, ATokenMayHaveSeveralCellsAndASpanBeAnObject) {
  const auto all = read_all(
      "{\"tokens\": [[\"Real\", \"NC\"], [\"ganó\", \"VM\"]], \"spans\": [{\"start\": 0, \"end\": "
      "1, "
      "\"label\": \"ORG\", \"probability\": 0.9}]}");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].columns, 2u);
  EXPECT_EQ(all[0].length(), 2u);
  EXPECT_EQ(all[0].cell(1, 1), "VM");
  EXPECT_EQ(*all[0].spans, (Spans{{0, 1, "ORG"}}));
}

TEST(SpanReader, GoldIsTheReferenceWhereThereAreBoth) {
  const auto all = read_all(
      "{\"tokens\": [\"a\"], \"spans\": [], \"gold\": [[0, 1, \"X\"]]}\n"
      "{\"tokens\": [\"a\"], \"spans\": []}\n{\"tokens\": [\"a\"]}\n");
  EXPECT_EQ(*all[0].reference(), (Spans{{0, 1, "X"}}));
  EXPECT_EQ(*all[1].reference(), Spans());
  EXPECT_FALSE(all[2].reference());
}

TEST(SpanReader, ASequenceWithoutTokensIsOne) {
  const auto all = read_all("{\"tokens\": []}\n{\"tokens\": [], \"spans\": []}\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].length(), 0u);
}

TEST(SpanReader, WhatIsNoSequenceIsAnErrorThatNamesLineAndRemedy) {
  const auto expect = [](const std::string& line, const std::string& says) {
    const std::string message = error_of("{\"tokens\": [\"a\", \"b\", \"c\"]}\n" + line + "\n");
    EXPECT_EQ(message.rfind("d.jsonl:2", 0), 0u) << message;
    EXPECT_NE(message.find(says), std::string::npos) << message;
    EXPECT_NE(message.find("; "), std::string::npos) << message;
  };
  expect("{\"tokens\": [\"a\"", "not JSON");
  expect("{\"tokens\": [\"a\"]} {}", "not JSON");
  expect("[1]", "no JSON object");
  expect("{\"words\": [\"a\"]}", "without a list \"tokens\"");
  expect("{\"tokens\": \"a\"}", "without a list \"tokens\"");
  expect("{\"tokens\": [\"a\"], \"tokens\": [\"b\"]}", "stands twice");
  expect("{\"tokens\": [\"a\"], \"meta\": [{\"b\": 1, \"b\": 2}]}", "stands twice");
  expect(
      "{\"tokens\": [\"a\"], \"spans\": [{\"start\": 0, \"end\": 1, \"label\": \"X\", \"end\": "
      "1}]}",
      "stands twice");
  expect("{\"tokens\": [1]}", "neither a string");
  expect("{\"tokens\": [[\"a\", null]]}", "neither a string");
  expect("{\"tokens\": [\"\"]}", "an empty token");
  expect("{\"tokens\": [[]]}", "0 cells");
  expect("{\"tokens\": [\"a\\u0000\"]}", "NUL");
  expect("{\"tokens\": [[\"a\", \"b\"], [\"c\"]]}", "1 cell of a token where the first one has 2");
  expect("{\"tokens\": [[\"a\", \"b\"]]}", "2 cells of a token where 1 stand before");
  expect("{\"tokens\": [\"a\"], \"spans\": {}}", "no list");
  expect("{\"tokens\": [\"a\"], \"spans\": [[0, 1]]}", "neither [START, END, LABEL]");
  expect("{\"tokens\": [\"a\"], \"spans\": [[0, 1, 2]]}", "neither [START, END, LABEL]");
  expect("{\"tokens\": [\"a\"], \"spans\": [[0, 1.0, \"X\"]]}", "neither [START, END, LABEL]");
  expect("{\"tokens\": [\"a\"], \"spans\": [[-1, 1, \"X\"]]}", "neither [START, END, LABEL]");
  expect("{\"tokens\": [\"a\"], \"spans\": [{\"start\": 0, \"end\": 1}]}", "neither [START");
  expect("{\"tokens\": [\"a\"], \"spans\": [[0, 0, \"X\"]]}", "empty");
  expect("{\"tokens\": [\"a\"], \"spans\": [[0, 2, \"X\"]]}", "ends at 2, and there are 1 tokens");
  expect("{\"tokens\": [\"a\", \"b\"], \"spans\": [[0, 2, \"X\"], [1, 2, \"Y\"]]}", "overlap");
  expect("{\"tokens\": [\"a\"], \"gold\": 1}", "\"gold\"");
  expect("{\"tokens\": [\"a\"], \"x\": " + std::string(100, '[') + std::string(100, ']') + "}",
         "64 deep");
}

TEST(SpanReader, TheFaultOfALineThatIsNotJsonHasItsColumn) {
  EXPECT_EQ(error_of("{\"tokens\": [\"a\",]}").rfind("d.jsonl:1:17: ", 0), 0u)
      << error_of("{\"tokens\": [\"a\",]}");
}

TEST(SpanReader, ExpectedCellsAreRequiredOfTheFirstTokenToo) {
  EXPECT_NE(error_of("{\"tokens\": [\"a\"]}", 2).find("1 cell of a token where 2 are expected"),
            std::string::npos);
  EXPECT_EQ(read_all("{\"tokens\": [[\"a\", \"b\"]]}", 2).size(), 1u);
}

TEST(SpanReader, BytesThatAreNotUtf8AreAnError) {
  EXPECT_NE(error_of("{\"tokens\": [\"\xff\"]}").find("not JSON"), std::string::npos);
}

RC_GTEST_PROP(SpanReader, RandomSequencesReadBackEqual, ()) {
  const auto columns = *rc::gen::inRange<std::size_t>(1, 4);
  const auto length = *rc::gen::inRange<std::size_t>(0, 8);
  SpanSequence sequence;
  sequence.columns = columns;
  const auto cell =
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127)));
  for (std::size_t k = 0; k < columns * length; ++k) sequence.cells.push_back(*cell);
  if (*rc::gen::arbitrary<bool>()) {
    sequence.spans.emplace();
    for (std::size_t t = 0; t < length;) {
      const auto end = *rc::gen::inRange<std::size_t>(t + 1, length + 1);
      if (*rc::gen::arbitrary<bool>()) sequence.spans->push_back({t, end, *cell});
      t = end;
    }
  }
  const auto again = read_all(span_line(sequence));
  RC_ASSERT(again.size() == 1u);
  RC_ASSERT(again[0].cells == sequence.cells);
  RC_ASSERT(again[0].spans == sequence.spans);
}

}  // namespace
}  // namespace croft::span_lines_test

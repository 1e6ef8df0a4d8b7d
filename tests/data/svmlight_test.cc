#include "data/svmlight.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "data/text_files.h"

namespace croft::svmlight_test {
namespace {

struct Row {
  std::string label;
  std::vector<std::pair<std::string, double>> items;
  bool operator==(const Row&) const = default;
};
using Rows = std::vector<Row>;

std::ostream& operator<<(std::ostream& out, const Row& row) {
  out << in_quotes(row.label);
  for (const auto& [name, value] : row.items) out << ' ' << name << ':' << value;
  return out;
}

std::vector<Rows> read_all(SvmlightReader reader) {
  std::vector<Rows> sequences;
  TextSequence sequence;
  while (reader.next(sequence)) {
    Rows rows;
    for (std::size_t t = 0; t < sequence.length(); ++t) {
      rows.emplace_back();
      if (sequence.has_labels()) rows.back().label = sequence.labels.item(t);
      for (std::size_t k = sequence.node.list_begin(t); k < sequence.node.list_end(t); ++k) {
        rows.back().items.emplace_back(sequence.node.item(k), sequence.node.value(k));
      }
    }
    if (sequence.has_labels()) {
      EXPECT_EQ(sequence.labels.list_end(0), rows.size());
    }
    sequences.push_back(rows);
  }
  return sequences;
}

std::vector<Rows> read_all(std::string_view text, bool allow_unlabelled = false) {
  return read_all(SvmlightReader(LineReader(text, "d.txt"), allow_unlabelled));
}

std::string error_of(std::string_view text, bool allow_unlabelled = false) {
  return message_of<InputError>([&] { read_all(text, allow_unlabelled); });
}

TEST(SvmlightReader, EveryRowIsASequenceAndLabelsStayAsTheyAreWritten) {
  EXPECT_EQ(read_all("+1 1:0.5 7:-2e3\n-1 2:1\nsports\n1.0 3:+4\n"),
            (std::vector<Rows>{{{"+1", {{"1", 0.5}, {"7", -2000}}}},
                               {{"-1", {{"2", 1}}}},
                               {{"sports", {}}},
                               {{"1.0", {{"3", 4}}}}}));
}

TEST(SvmlightReader, RowsThatFollowEachOtherWithTheSameQidAreOneSequence) {
  EXPECT_EQ(read_all("a qid:1 1:1\nb qid:1 2:1\nc qid:2 1:1\nd qid:1 3:1\n"),
            (std::vector<Rows>{
                {{"a", {{"1", 1}}}, {"b", {{"2", 1}}}}, {{"c", {{"1", 1}}}}, {{"d", {{"3", 1}}}}}));
}

TEST(SvmlightReader, CommentsAndBlankLinesAreSkippedAlsoInsideOfASequence) {
  EXPECT_EQ(read_all("# a comment\n\na qid:1 1:1 # of a:b 2:2\n \t\n  # more\nb qid:1 2:1#x\n"),
            (std::vector<Rows>{{{"a", {{"1", 1}}}, {"b", {{"2", 1}}}}}));
  EXPECT_TRUE(read_all("# nothing\n\n").empty());
}

TEST(SvmlightReader, AHashInALabelBelongsToIt) {
  EXPECT_EQ(read_all("C# 1:1\n"), (std::vector<Rows>{{{"C#", {{"1", 1}}}}}));
}

TEST(SvmlightReader, SpacesAndTabsSeparateHoweverMany) {
  EXPECT_EQ(read_all(" a\t 1:1\t\t2:2  \r\n"), (std::vector<Rows>{{{"a", {{"1", 1}, {"2", 2}}}}}));
}

TEST(SvmlightReader, AnIndexIsNamedByItsNumber) {
  EXPECT_EQ(read_all("a 007:1 18446744073709551615:0\n"),
            (std::vector<Rows>{{{"a", {{"7", 1}, {"18446744073709551615", 0}}}}}));
}

TEST(SvmlightReader, RowsWithoutALabelAreForPrediction) {
  EXPECT_EQ(read_all("qid:1 1:1\nqid:1 2:2\n", true),
            (std::vector<Rows>{{{"", {{"1", 1}}}, {"", {{"2", 2}}}}}));
  EXPECT_EQ(read_all("1:1\n2:2\n", true),
            (std::vector<Rows>{{{"", {{"1", 1}}}}, {{"", {{"2", 2}}}}}));
  EXPECT_EQ(error_of("1:1 2:2\n"),
            "d.txt:1:1: a row without a label: \"1:1\"; write the label in front of its values");
  EXPECT_EQ(error_of("1:1\na 2:2\n", true),
            "d.txt:2:1: a row with a label, unlike line 1: \"a 2:2\"; give every row a label, or "
            "none");
  EXPECT_EQ(error_of("a 1:1\n2:2\n", true),
            "d.txt:2:1: a row without a label, unlike line 1: \"2:2\"; give every row a label, or "
            "none");
}

TEST(SvmlightReader, AQidIsInEveryRowOrInNone) {
  EXPECT_EQ(
      error_of("a 1:1\nb qid:1 2:2\n"),
      "d.txt:2:1: a row with a qid, unlike line 1: \"b qid:1 2:2\"; give every row the qid of "
      "its sequence, or none");
  EXPECT_EQ(error_of("a qid:3 1:1\nb 2:2\n"),
            "d.txt:2:1: a row without a qid, unlike line 1: \"b 2:2\"; give every row the qid of "
            "its sequence, or none");
  EXPECT_EQ(
      error_of("a qid:x 1:1\n"),
      "d.txt:1:3: a qid that is not a whole number: \"qid:x\"; write qid:N, with a number for "
      "a sequence");
  EXPECT_EQ(
      error_of("a 1:1 qid:3\n"),
      "d.txt:1:7: a qid behind a value, or a second one: \"qid:3\"; write it once, behind the "
      "label");
}

TEST(SvmlightReader, WhatIsNoIndexAndValueIsAnErrorThatSaysWhere) {
  EXPECT_EQ(error_of("a 0:1\n"),
            "d.txt:1:3: the index 0: \"0:1\"; add 1 to all of them: indices count from 1");
  EXPECT_EQ(error_of("a 1:1 3:1 2:1\n"),
            "d.txt:1:11: an index below the one before it, 3: \"2:1\"; sort each row by its "
            "indices");
  EXPECT_EQ(error_of("a 1:1 1:2\n"),
            "d.txt:1:7: an index twice in a row: \"1:2\"; give each index one value");
  EXPECT_EQ(
      error_of("a 18446744073709551616:1\n"),
      "d.txt:1:3: an index above 18446744073709551615: \"18446744073709551616:1\"; number the "
      "values from 1 on");
  for (const char* field : {"x:1", "-1:1", "1.0:1", ":1", "1", "+1:1"}) {
    EXPECT_EQ(error_of(std::string("a ") + field + "\n"),
              std::string("d.txt:1:3: a field that is not INDEX:VALUE: \"") + field +
                  "\"; write a whole number from 1 on, a colon and the value, without blanks");
  }
  for (const char* field : {"1:", "1:x", "1:0x10", "1:1:1"}) {
    EXPECT_EQ(error_of(std::string("a ") + field + "\n"),
              std::string("d.txt:1:3: a value that is not a number: \"") + field +
                  "\"; write INDEX:NUMBER, without blanks");
  }
  for (const char* field : {"1:nan", "1:inf", "1:1e999"}) {
    EXPECT_EQ(error_of(std::string("a ") + field + "\n"),
              std::string("d.txt:1:3: a value that is not a finite number: \"") + field +
                  "\"; give it a finite value, or leave the index out");
  }
}

TEST(SvmlightReader, NulBytesAndStrayCarriageReturnsAreErrors) {
  EXPECT_EQ(error_of(std::string_view("a 1:1\0\n", 7)).substr(0, 22), "d.txt:1:6: a NUL byte:");
  EXPECT_EQ(error_of("a 1:1\rb 2:1\n").substr(0, 38), "d.txt:1:6: a carriage return inside a ");
}

TEST(SvmlightReader, TheFirstLineOfASequenceIsKnown) {
  SvmlightReader reader(LineReader("# x\na qid:1 1:1\n\nb qid:1\nc qid:2 1:1\n", "d.txt"));
  TextSequence sequence;
  ASSERT_TRUE(reader.next(sequence));
  EXPECT_EQ(sequence.first_line, 2u);
  EXPECT_TRUE(reader.has_groups());
  ASSERT_TRUE(reader.next(sequence));
  EXPECT_EQ(sequence.first_line, 5u);
  EXPECT_FALSE(reader.next(sequence));
  EXPECT_FALSE(reader.next(sequence));
}

RC_GTEST_PROP(SvmlightReader, RandomRowsReadBackEqualInBlocksOfAnySize, ()) {
  const bool grouped = *rc::gen::arbitrary<bool>();
  std::vector<Rows> sequences;
  std::string text;
  const auto count = *rc::gen::inRange(0, 6);
  for (int n = 0; n < count; ++n) {
    sequences.emplace_back();
    const auto rows = grouped ? *rc::gen::inRange(1, 4) : 1;
    for (int t = 0; t < rows; ++t) {
      Row row{*rc::gen::element<std::string>("+1", "-1", "x", "ñ#"), {}};
      text += row.label + (grouped ? " qid:" + std::to_string(n) : "");
      for (int index = 1; index < 8; ++index) {
        if (*rc::gen::arbitrary<bool>()) continue;
        const double any = *rc::gen::arbitrary<double>();
        const double value = std::isfinite(any) ? any : 1;
        char number[64];
        const auto [end, fault] = std::to_chars(number, number + sizeof number, value);
        text.append(" " + std::to_string(index) + ":").append(number, end);
        row.items.emplace_back(std::to_string(index), value);
      }
      text += *rc::gen::element<std::string>("\n", "\r\n", " # c\n", "\n\n");
      sequences.back().push_back(std::move(row));
    }
  }
  const TemporaryFile file(text);
  const auto block = *rc::gen::inRange<std::size_t>(1, 17);
  RC_ASSERT(read_all(SvmlightReader(LineReader(file.path(), block))) == sequences);
}

}  // namespace
}  // namespace croft::svmlight_test

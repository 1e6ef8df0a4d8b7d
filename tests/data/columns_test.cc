#include "data/columns.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "data/text_files.h"

namespace croft::columns_test {
namespace {

using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

Rows rows_of(const ColumnSequence& sequence) {
  Rows rows;
  for (std::size_t r = 0; r < sequence.rows(); ++r) {
    rows.emplace_back();
    for (std::size_t c = 0; c < sequence.columns(r); ++c) {
      rows.back().emplace_back(sequence.cell(r, c));
    }
  }
  return rows;
}

std::vector<Rows> read_all(ColumnsReader reader) {
  std::vector<Rows> sequences;
  ColumnSequence sequence;
  while (reader.next(sequence)) sequences.push_back(rows_of(sequence));
  return sequences;
}

std::vector<Rows> read_all(std::string_view text, std::size_t expected = 0, bool fewer = false) {
  const RowWidth width = fewer ? RowWidth::or_one_fewer : RowWidth::as_expected;
  return read_all(ColumnsReader(LineReader(text, "d.txt"), expected, width));
}

std::string error_of(std::string_view text, std::size_t expected = 0, bool fewer = false) {
  return message_of<InputError>([&] { read_all(text, expected, fewer); });
}

TEST(ColumnsReader, SplitsAtRunsOfSpacesAndTabs) {
  EXPECT_EQ(read_all("a  b\t\tc \t \nd e f"),
            (std::vector<Rows>{{{"a", "b", "c"}, {"d", "e", "f"}}}));
}

TEST(ColumnsReader, OnlySpaceAndTabSplit) {
  EXPECT_EQ(read_all("a\u00A0b\u3000c\vd\fe f"),
            (std::vector<Rows>{{{"a\u00A0b\u3000c\vd\fe", "f"}}}));
}

TEST(ColumnsReader, EmptyAndBlankLinesEndASequence) {
  const std::vector<Rows> expected{{{"a"}, {"b"}}, {{"c"}}};
  EXPECT_EQ(read_all("a\nb\n\nc\n"), expected);
  EXPECT_EQ(read_all("\n\na\nb\n\n \t\n\t\n\nc\n\n\n"), expected);
  EXPECT_EQ(read_all("a\r\nb\r\n\r\nc\r\n"), expected);
  EXPECT_EQ(read_all("\xEF\xBB\xBF"
                     "a\nb\n\nc"),
            expected);
}

TEST(ColumnsReader, InputWithoutRowsHasNoSequence) {
  EXPECT_TRUE(read_all("").empty());
  EXPECT_TRUE(read_all("\n \n\r\n").empty());
}

TEST(ColumnsReader, NothingIsACommentOrAnEscape) {
  EXPECT_EQ(read_all("# x\n\\# \\"), (std::vector<Rows>{{{"#", "x"}, {"\\#", "\\"}}}));
}

TEST(ColumnsReader, FirstLineAndRowsAreKeptAsRead) {
  ColumnsReader reader(LineReader("\na \t jalapeño \nb c\r\n\n\nd e", "d.txt"));
  ColumnSequence sequence;
  EXPECT_EQ(reader.columns(), 0u);
  ASSERT_TRUE(reader.next(sequence));
  EXPECT_EQ(sequence.first_line, 2u);
  EXPECT_EQ(sequence.line(0), "a \t jalapeño ");
  EXPECT_EQ(sequence.line(1), "b c");
  EXPECT_EQ(reader.columns(), 2u);
  ASSERT_TRUE(reader.next(sequence));
  EXPECT_EQ(sequence.first_line, 6u);
  EXPECT_EQ(sequence.rows(), 1u);
  EXPECT_FALSE(reader.next(sequence));
  EXPECT_EQ(sequence.rows(), 0u);
  EXPECT_EQ(reader.name(), "d.txt");
}

// The message of a row whose number of columns is wrong.
std::string wrong_columns(const std::string& problem) {
  return "d.txt:" + problem +
         "; give every row the same columns; an empty cell needs a placeholder such as _";
}

TEST(ColumnsReader, RowWithAnotherNumberOfColumnsIsAnError) {
  EXPECT_EQ(error_of("a b c\n\nd e\n"), wrong_columns("3: 2 columns where line 1 has 3: \"d e\""));
  EXPECT_EQ(error_of("\na b\nc d e"), wrong_columns("3: 3 columns where line 2 has 2: \"c d e\""));
  EXPECT_EQ(error_of("a b\nc\n"), wrong_columns("2: 1 column where line 1 has 2: \"c\""));
}

TEST(ColumnsReader, ExpectedColumnsAreRequiredOfTheFirstRowToo) {
  EXPECT_EQ(read_all("a b c", 3), (std::vector<Rows>{{{"a", "b", "c"}}}));
  EXPECT_EQ(error_of("a b", 3),
            "d.txt:1: 2 columns where 3 are expected: \"a b\"; the column of labels seems to be "
            "missing; croft predict labels such data");
  EXPECT_EQ(error_of("a b", 1), wrong_columns("1: 2 columns where 1 is expected: \"a b\""));
}

TEST(ColumnsReader, RowsOfOtherFormatsAreAnsweredWithTheirNames) {
  const auto names = [](const std::string& text, const std::string& format) {
    EXPECT_NE(error_of(text).find("--format " + format), std::string::npos) << error_of(text);
  };
  names("{\"text\": \"a b\"}\n{\"text\": \"a\"}\n", "spans");
  names("spam\tfree entry\nham\tlater\n", "text");
  names("1\ta b\t_\tX\t_\t_\t_\t_\t_\t_\n2\tc\t_\tX\t_\t_\t_\t_\t_\t_\n", "conllu");
  EXPECT_TRUE(other_format_hint("the DT B-NP").empty());
  EXPECT_TRUE(other_format_hint("the\tDT\tB-NP").empty());
  EXPECT_EQ(other_format_hint("a,b").text(), "this looks like a table with commas: --format csv");
}

TEST(ColumnsReader, DataWithoutTheLabelColumnIsReadWhenAllRowsAgree) {
  EXPECT_EQ(read_all("a b", 3, true), (std::vector<Rows>{{{"a", "b"}}}));
  EXPECT_EQ(read_all("a b c", 3, true), (std::vector<Rows>{{{"a", "b", "c"}}}));
  EXPECT_EQ(error_of("a b\nc d e", 3, true),
            wrong_columns("2: 3 columns where line 1 has 2: \"c d e\""));
  EXPECT_EQ(error_of("a b c\nd e", 3, true),
            wrong_columns("2: 2 columns where line 1 has 3: \"d e\""));
  EXPECT_EQ(error_of("a", 3, true),
            wrong_columns("1: 1 column where 3 are expected, or 2 without the label: \"a\""));
  EXPECT_NE(error_of("a b c d", 3, true), "no error");
}

TEST(ColumnsReader, RowsMayHaveMoreColumnsEachItsOwnNumber) {
  const auto read = [](std::string_view text) {
    return read_all(ColumnsReader(LineReader(text, "d.txt"), 2, RowWidth::or_more));
  };
  EXPECT_EQ(read("a b c\nd e\n\nf g h i\n"),
            (std::vector<Rows>{{{"a", "b", "c"}, {"d", "e"}}, {{"f", "g", "h", "i"}}}));
  EXPECT_EQ(message_of<InputError>([&] { read("a b c\nd\n"); }),
            "d.txt:2: 1 column where 2 or more are expected: \"d\"; give every row the same "
            "columns; an empty cell needs a placeholder such as _");
}

TEST(ColumnsReader, RowThatStartsWithABlankIsAnError) {
  EXPECT_EQ(
      error_of("a b\n c d\n"),
      "d.txt:2:1: a row starts with a blank: \" c d\"; delete the blanks before the first cell, "
      "or empty the line to end the sequence; an empty cell needs a placeholder such as _");
  EXPECT_NE(error_of("\ta b"), "no error");
}

TEST(ColumnsReader, NulByteIsAnError) {
  EXPECT_EQ(error_of(std::string_view("a b\nc\0 d\n", 9)),
            "d.txt:2:2: a NUL byte: \"c\\x00 d\"; give plain UTF-8 text: this looks like UTF-16, a "
            "binary or a compressed file");
}

TEST(ColumnsReader, CarriageReturnInsideALineIsAnError) {
  EXPECT_EQ(error_of("a b\rc d\r"),
            "d.txt:1:4: a carriage return inside a line: \"a b\\rc d\"; end every line with a "
            "newline, or with one carriage return and a newline");
  EXPECT_NE(error_of("a b\r\r\nc d\r\r\n"), "no error");
  EXPECT_NE(error_of("a\n\r\r\nb\n"), "no error");
}

TEST(ColumnsReader, CellOfTenMegabytesIsFine) {
  const std::string cell(10'000'000, 'x');
  const TemporaryFile file("a b\n" + cell + " O\nc d");
  const auto sequences = read_all(ColumnsReader(LineReader(file.path())));
  ASSERT_EQ(sequences.size(), 1u);
  EXPECT_TRUE(sequences[0][1][0] == cell);
  EXPECT_EQ(sequences[0][2], (Row{"c", "d"}));
}

TEST(ColumnsReader, ManyColumnsAreFine) {
  std::string row;
  for (int k = 0; k < 5000; ++k) row += "c" + std::to_string(k) + " ";
  EXPECT_EQ(read_all(row)[0][0].size(), 5000u);
}

// What is written with any blanks and line ends reads back equal, whatever the blocks.
RC_GTEST_PROP(ColumnsReader, RandomTablesReadBackEqual, ()) {
  const auto cell = rc::gen::nonEmpty(rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("ab#:\\\"\x01\x7F\xC3\xB1\xFF"))));
  const auto columns = *rc::gen::inRange<std::size_t>(1, 5);
  const auto row = rc::gen::container<Row>(columns, cell);
  const auto tables = *rc::gen::scale(
      0.2, rc::gen::container<std::vector<Rows>>(rc::gen::nonEmpty(rc::gen::container<Rows>(row))));
  const auto blanks = rc::gen::element<std::string>(" ", "\t", "  ", " \t ");
  const std::string newline = *rc::gen::element<std::string>("\n", "\r\n");
  std::string text;
  for (const Rows& table : tables) {
    for (const Row& cells : table) {
      for (std::size_t c = 0; c < cells.size(); ++c) text += (c > 0 ? *blanks : "") + cells[c];
      text += newline;
    }
    text += newline;
  }
  const TemporaryFile file(text);
  const auto block = *rc::gen::inRange<std::size_t>(1, 9);
  RC_ASSERT(read_all(ColumnsReader(LineReader(file.path(), block))) == tables);
}

TEST(ColumnsReader, ConllCorpusHasItsPublishedSize) {
  const auto path = data_folder() / "conll2000" / "train.txt";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent; set CROFT_DATA";
  ColumnsReader reader(LineReader(path.string()));
  ColumnSequence sequence;
  std::size_t sequences = 0, rows = 0;
  for (; reader.next(sequence); ++sequences) rows += sequence.rows();
  EXPECT_EQ(sequences, 8936u);
  EXPECT_EQ(rows, 211727u);
  EXPECT_EQ(reader.columns(), 3u);
}

std::vector<Rows> read_form(std::string_view text, const ColumnsForm& form,
                            std::size_t expected = 0) {
  const RowWidth width = expected == 0 ? RowWidth::as_expected : RowWidth::or_one_fewer;
  return read_all(ColumnsReader(LineReader(text, "d.txt"), expected, width, form));
}

TEST(ColumnsReader, TheLabelOfAnyColumnBecomesTheLastCell) {
  for (const std::size_t column : {1, 2, 3}) {
    Row row{"a", "b", "c"};
    std::rotate(row.begin() + static_cast<std::ptrdiff_t>(column) - 1,
                row.begin() + static_cast<std::ptrdiff_t>(column), row.end());
    EXPECT_EQ(read_form("a b\tc\n\na b c", {.label_column = column}),
              (std::vector<Rows>{{row}, {row}}));
  }
  ColumnsReader reader(LineReader("L w x", "d.txt"), 0, RowWidth::as_expected, {.label_column = 1});
  ColumnSequence sequence;
  ASSERT_TRUE(reader.next(sequence));
  EXPECT_EQ(sequence.line(0), "L w x");  // as it was read
}

TEST(ColumnsReader, RowsWithoutTheLabelStayAsTheyAre) {
  const ColumnsForm first{.label_column = 1};
  EXPECT_EQ(read_form("w x", first, 3), (std::vector<Rows>{{{"w", "x"}}}));
  EXPECT_EQ(read_form("L w x", first, 3), (std::vector<Rows>{{{"w", "x", "L"}}}));
}

TEST(ColumnsReader, AColumnOfLabelsThatIsNotThereIsAnError) {
  EXPECT_EQ(message_of<InputError>([] { read_form("a b\n", {.label_column = 3}); }),
            "d.txt:1: 2 columns, and the label is to be in column 3: \"a b\"; columns are counted "
            "from 1; name that of the labels");
}

TEST(ColumnsReader, IgnoredLinesAreNoRowsAndEndNoSequence) {
  EXPECT_EQ(read_form("# a comment of words\na A\n#\nb B\n\n# c\n\nd D\n", {.ignored = "^#"}),
            (std::vector<Rows>{{{"a", "A"}, {"b", "B"}}, {{"d", "D"}}}));
  EXPECT_TRUE(read_form("# 1\n# 2\n", {.ignored = "^# "}).empty());
}

TEST(ColumnsReader, RowsKnowTheirLinesWhereLinesBetweenThemAreIgnored) {
  const ColumnsForm form{.ignored = "^#"};
  ColumnsReader reader(LineReader("# 1\na A\nb B\n# 4\nc C\n\nd D\n", "d.txt"), 0,
                       RowWidth::as_expected, form);
  ColumnSequence rows;
  ASSERT_TRUE(reader.next(rows));
  EXPECT_EQ((std::vector{rows.line_of(0), rows.line_of(1), rows.line_of(2)}),
            (std::vector<std::size_t>{2, 3, 5}));
  EXPECT_EQ(rows.last_line, 5U);
  ASSERT_TRUE(reader.next(rows));
  EXPECT_EQ(rows.line_of(0), 7U);
  EXPECT_TRUE(rows.lines.empty());
}

TEST(ColumnsReader, ExpressionsThatAreNoneOrFindEmptyLinesAreRefused) {
  const auto error = [](const char* ignored) {
    return message_of<UsageError>([&] { ColumnsForm{.ignored = ignored}.validate(); });
  };
  EXPECT_EQ(error("("), "--ignore-lines \"(\" is no regular expression: missing ): (");
  EXPECT_EQ(
      error("^#|^$"),
      "--ignore-lines \"^#|^$\" is found in an empty line, too, which ends a sequence; say how "
      "the lines begin, such as ^#");
}

RC_GTEST_PROP(ColumnsReader, WhatIsKeptIsTheInputAndItsRowsAreMarked, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("a b\n", "c\td\r\n", "\n", "# x\n", " \n", "\r\n"));
  std::string text = *rc::gen::element<std::string>("", "\xEF\xBB\xBF");
  for (const std::string& each : pieces) text += each;
  text += *rc::gen::element<std::string>("", "e f");
  LineReader lines(text, "d.txt");
  lines.keep_given();
  ColumnsReader reader(std::move(lines), 0, RowWidth::as_expected, {.ignored = "^#"});
  ColumnSequence sequence;
  GivenLines given;
  std::string all;
  while (reader.next(sequence)) {
    reader.take_given(sequence.rows(), given);
    RC_ASSERT(given.marked.size() == sequence.rows());
    for (std::size_t t = 0; t < sequence.rows(); ++t) {
      const auto [begin, end] = given.marked[t];
      RC_ASSERT(given.text.substr(begin, end - begin) == sequence.line(t));
    }
    all += given.text;
  }
  reader.take_given(0, given);
  RC_ASSERT(given.marked.empty());
  RC_ASSERT(all + given.text == text);
}

}  // namespace
}  // namespace croft::columns_test

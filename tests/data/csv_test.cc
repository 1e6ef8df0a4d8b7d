// Records of comma-separated values, and tables of them.
#include "data/csv.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "data/csv_table.h"
#include "data/text_files.h"

namespace croft::csv_test {
namespace {

// --- records

using Cells = std::vector<std::string>;

std::vector<Cells> records(CsvRecordReader reader) {
  std::vector<Cells> all;
  CsvRecord record;
  while (reader.next(record)) {
    all.emplace_back();
    for (std::size_t k = 0; k < record.size(); ++k) all.back().emplace_back(record[k]);
  }
  return all;
}

std::vector<Cells> records(std::string_view text, char delimiter = ',') {
  return records(CsvRecordReader(LineReader(text, "d.csv"), delimiter));
}

std::string error_of(std::string_view text) {
  return message_of<InputError>([&] { records(text); });
}

TEST(CsvRecords, CellsAreWhatStandsBetweenDelimiters) {
  EXPECT_EQ(records("a,b,c\n1,,\n, x ,y\r\n"),
            (std::vector<Cells>{{"a", "b", "c"}, {"1", "", ""}, {"", " x ", "y"}}));
  EXPECT_EQ(records("a;b,c\n", ';'), (std::vector<Cells>{{"a", "b,c"}}));
  EXPECT_EQ(records("a\t\tb", '\t'), (std::vector<Cells>{{"a", "", "b"}}));
}

TEST(CsvRecords, QuotesHoldDelimitersQuotesAndLineEnds) {
  EXPECT_EQ(records("\"a,b\",\"say \"\"x\"\"\",\"\"\nq,\"two\r\n\nlines\",z\n"),
            (std::vector<Cells>{{"a,b", "say \"x\"", ""}, {"q", "two\n\nlines", "z"}}));
  EXPECT_EQ(records("\"\"\"\""), (std::vector<Cells>{{"\""}}));
}

TEST(CsvRecords, EmptyLinesBetweenRecordsAreSkipped) {
  EXPECT_EQ(records("\n\na,b\n\n\n1,2\n\n"), (std::vector<Cells>{{"a", "b"}, {"1", "2"}}));
}

TEST(CsvRecords, WhatQuotesMustNotDoIsAnErrorThatSaysWhere) {
  EXPECT_EQ(error_of("a,b\"c\n"),
            "d.csv:1:4: a quote inside a cell without quotes: \"b\\\"c\"; put the whole cell in "
            "quotes, and write \"\" for a quote in it");
  EXPECT_EQ(
      error_of("x\n\"a\nb\"c,d\n"),
      "d.csv:3:3: text behind a closing quote: \"\\\"c,d\"; put the whole cell in quotes, and "
      "write \"\" for a quote in it");
  EXPECT_EQ(
      error_of("x,y\n1,\"a\nb\nc\n"),
      "d.csv:2:3: a quote that is never closed: \"\\\"a\"; close it before the next cell, and "
      "write \"\" for a quote in a cell");
  EXPECT_EQ(error_of(std::string_view("a\0b\n", 4)).substr(0, 22), "d.csv:1:2: a NUL byte:");
}

RC_GTEST_PROP(CsvRecords, RandomCellsReadBackEqualInBlocksOfAnySize, ()) {
  const char delimiter = *rc::gen::element(',', ';', '\t');
  const auto cell =
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab,;\t\"\n \xC3\xB1\xFF")));
  const auto rows =
      *rc::gen::container<std::vector<Cells>>(rc::gen::nonEmpty(rc::gen::container<Cells>(cell)));
  std::string text;
  for (const Cells& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      const bool plain = row[k].find_first_of("\"\n") == std::string::npos &&
                         row[k].find(delimiter) == std::string::npos &&
                         (row.size() > 1 || !row[k].empty());
      if (k > 0) text += delimiter;
      if (plain && *rc::gen::arbitrary<bool>()) {
        text += row[k];
        continue;
      }
      text += '"';
      for (const char c : row[k]) text.append(c == '"' ? 2 : 1, c);
      text += '"';
    }
    text += *rc::gen::element<std::string>("\n", "\r\n", "\n\n");
  }
  const TemporaryFile file(text);
  const auto block = *rc::gen::inRange<std::size_t>(1, 17);
  RC_ASSERT(records(CsvRecordReader(LineReader(file.path(), block), delimiter)) == rows);
}

// --- tables

CsvColumns columns_of(const std::vector<std::string_view>& files, CsvOptions options = {}) {
  CsvColumnFinder finder(std::move(options));
  for (const std::string_view text : files) finder.read(LineReader(text, "train.csv"));
  return finder.columns();
}

TEST(CsvColumnFinder, WarnsOfAColumnThatHasAnotherCellInNearlyEveryRow) {
  const auto warnings = [](std::size_t rows, std::size_t different, CsvOptions options = {}) {
    std::string text = "note,size,town,label\n";
    for (std::size_t k = 0; k < rows; ++k) {
      text += "note " + std::to_string(k % different) + "," + std::to_string(k) + ",Rome,x\n";
    }
    CsvColumnFinder finder(std::move(options));
    finder.read(LineReader(text, "train.csv"));
    return finder.warnings();
  };
  ASSERT_EQ(warnings(20, 18).size(), 1U);
  EXPECT_TRUE(warnings(20, 18)[0].starts_with(
      "the column \"note\" has another cell in nearly every row (18 in the first 20)"));
  EXPECT_TRUE(warnings(20, 17).empty());
  EXPECT_TRUE(warnings(19, 19).empty());
  EXPECT_TRUE(warnings(40, 40, {.categorical = {"note"}}).empty());
  EXPECT_TRUE(warnings(40, 40, {.ignored = {"note"}}).empty());
}

struct Row {
  std::string label;
  std::vector<std::pair<std::string, double>> items;
  bool operator==(const Row&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  out << in_quotes(row.label);
  for (const auto& [name, value] : row.items) out << ' ' << in_quotes(name) << ':' << value;
  return out;
}

std::vector<Row> read_rows(std::string_view text, const CsvColumns& columns,
                           bool allow_unlabelled = false) {
  CsvReader reader(LineReader(text, "d.csv"), columns, allow_unlabelled);
  std::vector<Row> rows;
  TextSequence sequence;
  while (reader.next(sequence)) {
    EXPECT_EQ(sequence.length(), 1u);
    rows.emplace_back();
    if (sequence.has_labels()) rows.back().label = sequence.labels.item(0);
    for (std::size_t k = 0; k < sequence.node.items(); ++k) {
      rows.back().items.emplace_back(sequence.node.item(k), sequence.node.value(k));
    }
  }
  return rows;
}

std::string finding_fails(std::string_view text, const CsvOptions& options = {}) {
  return message_of<Error>([&] { columns_of({text}, options); });
}

std::string reading_fails(std::string_view text, const CsvColumns& columns,
                          bool allow_unlabelled = false) {
  return message_of<InputError>([&] { read_rows(text, columns, allow_unlabelled); });
}

TEST(CsvTable, NumericColumnsHaveValuesAndCategoricalOnesNames) {
  const std::string_view table = "age,job,label\n39,clerk,no\n-1.5e1,\"a, b\",yes\n";
  EXPECT_EQ(read_rows(table, columns_of({table})),
            (std::vector<Row>{{"no", {{"age", 39}, {"job=clerk", 1}}},
                              {"yes", {{"age", -15}, {"job=a, b", 1}}}}));
}

TEST(CsvTable, AColumnIsNumericWhereEveryCellThatIsThereIsANumber) {
  const CsvColumns columns =
      columns_of({"a,b,c,d,y\n1,1,,NA,p\n,x,,3,q\n 2 ,2,,NA,p\n"}, {.missing = {"NA"}});
  std::vector<bool> numeric;
  for (const CsvColumn& column : columns.columns) {
    numeric.push_back(column.kind == CsvKind::numeric);
  }
  EXPECT_EQ(numeric, (std::vector<bool>{true, false, false, true}));
  EXPECT_EQ(columns.label, "y");  // the last one
}

TEST(CsvTable, AMissingCellGivesNoAttribute) {
  const std::string_view table = "a,b,y\n1,NA,p\n,?,q\nNA, ,p\n3,u,q\n";
  EXPECT_EQ(
      read_rows(table, columns_of({table}, {.missing = {"NA", "?"}})),
      (std::vector<Row>{{"p", {{"a", 1}}}, {"q", {}}, {"p", {}}, {"q", {{"a", 3}, {"b=u", 1}}}}));
}

TEST(CsvTable, ColumnsMayBeStated) {
  const std::string_view table = "zip,n,id,y\n1,1,7,p\n2,NA,8,q\n";
  CsvOptions options{.numeric = {"n"}, .categorical = {"zip"}, .ignored = {"id"}};
  EXPECT_EQ(
      finding_fails(table, options),
      "train.csv:3:3: no number in the numeric column \"n\": \"NA\"; leave the cell empty, or "
      "name in training what stands for a missing one (--missing), or the column as "
      "--categorical");
  options.missing = {"NA"};
  EXPECT_EQ(read_rows(table, columns_of({table}, options)),
            (std::vector<Row>{{"p", {{"zip=1", 1}, {"n", 1}}}, {"q", {{"zip=2", 1}}}}));
}

TEST(CsvTable, TheLabelIsFoundByNameOrStated) {
  EXPECT_EQ(columns_of({"class,label,x\na,b,c\n"}).label, "label");
  EXPECT_EQ(columns_of({"class,x\na,b\n"}).label, "class");
  EXPECT_EQ(columns_of({"x,target\na,b\n"}).label, "target");
  EXPECT_EQ(columns_of({"x,label\na,b\n"}, {.label = "x"}).label, "x");
}

TEST(CsvTable, AFileNamedTsvIsReadByTabsAlsoWhereTheTrainingDataHadCommas) {
  const CsvColumns columns = columns_of({"n,job,y\n1,clerk,p\n"});
  const auto rows_of = [&](std::string_view text, const CsvColumns& known) {
    CsvReader reader(LineReader(text, "d.tsv"), known);
    TextSequence sequence;
    std::size_t rows = 0;
    for (; reader.next(sequence); ++rows) EXPECT_EQ(sequence.node.items(), 2u);
    return rows;
  };
  EXPECT_EQ(rows_of("job\tn\ty\nclerk, retired\t2\tp\ncook\t3\tp\n", columns), 2u);
  EXPECT_EQ(rows_of("job,n,y\nclerk,2,p\n", columns), 1u);  // as it was trained
}

TEST(CsvTable, StandardisedColumnsHaveMeanZeroAndDeviationOneInTraining) {
  const std::string_view table = "a,b,c,y\n1,5,u,p\n2,5,v,q\n6,5,u,p\n,5,u,q\n";
  const CsvColumns columns = columns_of({table}, {.standardise = true});
  EXPECT_DOUBLE_EQ(columns.columns[0].mean, 3);
  EXPECT_DOUBLE_EQ(columns.columns[0].deviation, std::sqrt(14.0 / 3));
  const std::vector<Row> rows = read_rows(table, columns);
  double sum = 0, squares = 0;
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(rows[k].items[0].first, "a");
    sum += rows[k].items[0].second;
    squares += rows[k].items[0].second * rows[k].items[0].second;
    EXPECT_EQ(rows[k].items[1], (std::pair<std::string, double>("b", 0)));  // all are equal
  }
  EXPECT_NEAR(sum, 0, 1e-12);
  EXPECT_NEAR(squares / 3, 1, 1e-12);
  EXPECT_EQ(rows[3].items.size(), 2u);
}

TEST(CsvTable, LaterTablesAreMatchedByNameInAnyOrderWithOrWithoutTheLabel) {
  const CsvColumns columns = columns_of({"a,b,id,y\n1,u,7,p\n"}, {.ignored = {"id"}});
  EXPECT_EQ(read_rows("y,b,a\np,u,2\n", columns),
            (std::vector<Row>{{"p", {{"a", 2}, {"b=u", 1}}}}));
  EXPECT_EQ(read_rows("b,id,a\nu,9,2\n", columns, true),
            (std::vector<Row>{{"", {{"a", 2}, {"b=u", 1}}}}));
  EXPECT_EQ(read_rows("b,y,a\nu,,2\n", columns, true),
            (std::vector<Row>{{"", {{"a", 2}, {"b=u", 1}}}}));
}

TEST(CsvTable, MissingAndUnknownColumnsAreOneError) {
  const CsvColumns columns = columns_of({"a,b,c,y\n1,u,7,p\n"});
  EXPECT_EQ(
      reading_fails("a,z,w\n1,2,3\n", columns),
      "d.csv:1: the columns \"b\", \"c\", \"y\" missing, and the columns \"z\", \"w\" unknown "
      "to the model; give the table the columns of the training data, in any order; the "
      "header is its first line");
  EXPECT_EQ(reading_fails("a,b,c\n1,u,2\n", columns),
            "d.csv:1: the column \"y\" missing; give the table the columns of the training data, "
            "in any order; the header is its first line");
}

TEST(CsvTable, TrainingFilesHaveTheSameColumnsInAnyOrder) {
  const CsvColumns columns = columns_of({"a,b,y\n1,2,p\n", "y,b,a\np,x,1\n"});
  EXPECT_EQ(columns.columns[0].kind, CsvKind::numeric);
  EXPECT_EQ(columns.columns[1].kind, CsvKind::categorical);
  EXPECT_EQ(message_of<InputError>([] {
              columns_of({"a,y\n1,p\n", "b,y\n1,p\n"});
            }),
            "train.csv:1: other columns than in the first file: \"b\"; give all training files the "
            "same columns, in any order");
}

TEST(CsvTable, HeadersThatCannotBeReadAreErrors) {
  EXPECT_EQ(finding_fails(",a,y\n0,1,p\n"),
            "train.csv:1:1: a column without a name in the header; name it; if it only numbers the "
            "rows, write the table without it");
  EXPECT_EQ(finding_fails("a,b,a\n1,2,3\n"),
            "train.csv:1:5: a column name twice in the header: \"a\"; rename one of them");
  EXPECT_EQ(finding_fails("a\xFF,y\n1,2\n").substr(0, 39),
            "train.csv:1:1: a name that is not UTF-8");
  EXPECT_EQ(finding_fails("a;b;y\n1;2;3\n"),
            "train.csv:1: no column besides the label \"a;b;y\"; give the columns that it is "
            "predicted from; --delimiter says what is between them");
  EXPECT_EQ(finding_fails("a,y\n1,p\n", {.ignored = {"id"}}),
            "train.csv:1: no column \"id\", which --ignore names; there are the columns \"a\", "
            "\"y\"; --delimiter says what is between them");
}

TEST(CsvTable, RowsWithAnotherNumberOfCellsAreErrors) {
  const CsvColumns columns = columns_of({"a,y\n1,p\n"});
  const std::string message =
      "csv:3: 3 cells where the header has 2: \"2\"; give every row a cell for each column, in "
      "quotes where it has the delimiter in it; --delimiter says what that is";
  EXPECT_EQ(reading_fails("a,y\n1,p\n2,q,r\n", columns), "d." + message);
  EXPECT_EQ(finding_fails("a,y\n1,p\n2,q,r\n"), "train." + message);
}

TEST(CsvTable, CellsThatCannotBeReadAreErrors) {
  const CsvColumns columns = columns_of({"a,y\n1,p\n"});
  EXPECT_EQ(reading_fails("y,a\np,12%\n", columns).substr(0, 50),
            "d.csv:2:3: no number in the numeric column \"a\": \"1");
  EXPECT_EQ(reading_fails("y,a\np,inf\n", columns).substr(0, 60),
            "d.csv:2:3: a number that is not finite in the numeric column");
  EXPECT_EQ(reading_fails("a,y\n1,\n", columns),
            "d.csv:2:3: a row without its label; fill the column \"y\"");
  EXPECT_EQ(reading_fails("a,y\n1,p\n2,\n", columns, true),
            "d.csv:3:3: a row without a label, unlike line 2; fill the column \"y\" in every row, "
            "or in none");
  EXPECT_EQ(reading_fails("a,y\n1,\"p\nq\"\n", columns),
            "d.csv:2:3: a line end in a label: \"p\\nq\"; write it on one line");
  EXPECT_EQ(finding_fails("a,y\n1,p\nnan,q\n"),
            "train.csv:3:1: a number that is not finite in the column \"a\", where all else is "
            "numbers: \"nan\"; if it stands for a missing number, say so with --missing; if the "
            "column is not one of numbers, with --categorical");
}

TEST(CsvOptions, AColumnIsNamedOnce) {
  EXPECT_EQ(
      message_of<UsageError>([] { CsvOptions{.numeric = {"a"}, .ignored = {"a"}}.validate(); }),
      "the column \"a\" is named twice by --label, --numeric, --categorical and --ignore");
  EXPECT_THROW(CsvOptions{.delimiter = '"'}.validate(), UsageError);
}

}  // namespace
}  // namespace croft::csv_test

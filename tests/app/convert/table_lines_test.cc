// A table with a column of texts as lines of format text.
#include <gtest/gtest.h>

#include <utility>

#include "app/convert/texts/convert_texts.h"
#include "data/text_files.h"

namespace croft {
namespace {

struct Read {
  std::string text;
  std::vector<std::size_t> numbers;  // of the lines
};

Read read(LineReader lines) {
  Read out;
  for (std::string_view line; lines.next(line);) {
    out.text.append(line) += '\n';
    out.numbers.push_back(lines.line_number());
  }
  return out;
}

TextReading columns(std::string text, std::string label, char delimiter = ',') {
  TextReading out;
  out.text_column = std::move(text);
  out.label_column = std::move(label);
  out.delimiter = delimiter;
  return out;
}

TEST(TableLines, HaveTheNumbersOfTheirRows) {
  const TemporaryFile table("id;text;stars\n1;\"so\nso\";3\n\n2;\"a;b\";5\n");
  TextReading reading = columns("text", "stars", ';');
  const Read labelled = read(foreign_lines(table.path(), "csv", reading));
  EXPECT_EQ(labelled.text, "3\tso so\n5\ta;b\n");
  EXPECT_EQ(labelled.numbers, (std::vector<std::size_t>{2, 5}));
  reading.label_column.clear();
  EXPECT_EQ(read(foreign_lines(table.path(), "csv", reading)).text, "so so\na;b\n");
}

TEST(TableLines, HaveTheLabelsOfAColumnOfThatNameWhereNoneIsNamed) {
  TextReading reading = columns("text", "");
  reading.labels = TableLabels::needed;
  const TemporaryFile both("class,text,label\nx,a,y\n"), one("class,text\nx,a\n"),
      none("text,k\na,1\n");
  EXPECT_EQ(read(foreign_lines(both.path(), "csv", reading)).text, "y\ta\n");
  EXPECT_EQ(read(foreign_lines(one.path(), "csv", reading)).text, "x\ta\n");
  EXPECT_EQ(
      message_of<UsageError>([&] { read(foreign_lines(none.path(), "csv", reading)); }),
      "no column is called label or class, and training was told of no other one by --label: " +
          none.path() + " has the columns text, k");
  reading.labels = TableLabels::if_there;
  EXPECT_EQ(read(foreign_lines(none.path(), "csv", reading)).text, "a\n");
  reading.label_column = "k";
  EXPECT_EQ(read(foreign_lines(none.path(), "csv", reading)).text, "1\ta\n");
  EXPECT_EQ(read(foreign_lines(one.path(), "csv", reading)).text, "a\n");
}

TEST(TableLines, OfAnEmptyTableThereAreNone) {
  const TemporaryFile table("");
  EXPECT_EQ(read(foreign_lines(table.path(), "csv", columns("text", ""))).text, "");
}

TEST(TableLines, ATextWithoutALabelIsAnError) {
  const TemporaryFile table("text,l\na,X\nb,\n");
  const TextReading reading = columns("text", "l");
  EXPECT_EQ(message_of<Error>([&] { read(foreign_lines(table.path(), "csv", reading)); }),
            table.path() +
                ":3:1: a text without a label, unlike those before: \"b\"; give every "
                "text one label, or none");
}

}  // namespace
}  // namespace croft

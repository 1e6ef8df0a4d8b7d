// A table with a column of texts as lines of format text.
#include <gtest/gtest.h>

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

TEST(TableLines, HaveTheNumbersOfTheirRows) {
  const TemporaryFile table("id;text;stars\n1;\"so\nso\";3\n\n2;\"a;b\";5\n");
  TextReading reading{.text_column = "text", .label_column = "stars", .delimiter = ';'};
  const Read labelled = read(text_lines_of_table(table.path(), reading));
  EXPECT_EQ(labelled.text, "3\tso so\n5\ta;b\n");
  EXPECT_EQ(labelled.numbers, (std::vector<std::size_t>{2, 5}));
  reading.label_column.clear();
  EXPECT_EQ(read(text_lines_of_table(table.path(), reading)).text, "so so\na;b\n");
}

TEST(TableLines, OfAnEmptyTableThereAreNone) {
  const TemporaryFile table("");
  EXPECT_EQ(read(text_lines_of_table(table.path(), {.text_column = "text"})).text, "");
}

TEST(TableLines, ATextWithoutALabelIsAnError) {
  const TemporaryFile table("text,l\na,X\nb,\n");
  const TextReading reading{.text_column = "text", .label_column = "l"};
  EXPECT_EQ(message_of<Error>([&] { text_lines_of_table(table.path(), reading); }),
            table.path() +
                ":3:1: a text without a label, unlike those before: \"b\"; give every "
                "text one label, or none");
}

}  // namespace
}  // namespace croft

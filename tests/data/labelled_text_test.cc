#include "data/labelled_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "data/text_files.h"

namespace croft::labelled_text_test {
namespace {

struct Line {
  std::string label, text;
  std::size_t line;
  bool operator==(const Line&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Line& line) {
  return out << line.line << ": " << in_quotes(line.label) << ' ' << in_quotes(line.text);
}

std::vector<Line> read_all(LabelledTextReader reader) {
  std::vector<Line> lines;
  LabelledText text;
  while (reader.next(text)) {
    EXPECT_EQ(reader.labelled(), !text.label.empty());
    lines.push_back({text.label, text.text, text.line});
  }
  return lines;
}

std::vector<Line> read_all(std::string_view text, bool allow_unlabelled = false) {
  return read_all(LabelledTextReader(LineReader(text, "d.txt"), allow_unlabelled));
}

std::string error_of(std::string_view text, bool allow_unlabelled = false) {
  return message_of<InputError>([&] { read_all(text, allow_unlabelled); });
}

using Lines = std::vector<Line>;

TEST(LabelledTextReader, TheFirstTabEndsTheLabelAndTheTextStaysAsItIs) {
  EXPECT_EQ(read_all("spam\tFree  entry!\nnot spam\t a\tb \nham\t\r\n"),
            (Lines{{"spam", "Free  entry!", 1}, {"not spam", " a\tb ", 2}, {"ham", "", 3}}));
}

TEST(LabelledTextReader, LinesOfBlanksAreNothingInLabelledData) {
  for (const bool allow : {false, true}) {
    EXPECT_EQ(read_all("\n  \na\tx\n\nb\ty\n\n", allow), (Lines{{"a", "x", 3}, {"b", "y", 5}}));
  }
}

TEST(LabelledTextReader, WithoutLabelsEveryLineIsAText) {
  EXPECT_EQ(
      read_all("\n  \nx y\n\nz\n\n", true),
      (Lines{{"", "", 1}, {"", "", 2}, {"", "x y", 3}, {"", "", 4}, {"", "z", 5}, {"", "", 6}}));
}

TEST(LabelledTextReader, AnUnlabelledTextWithTabsStartsWithOne) {
  EXPECT_EQ(read_all("\ta\tb\nc\n\t\n", true), (Lines{{"", "a\tb", 1}, {"", "c", 2}, {"", "", 3}}));
}

TEST(LabelledTextReader, AnInputOfBlankLinesHasNoText) {
  EXPECT_TRUE(read_all("").empty());
  EXPECT_TRUE(read_all("\n \n", true).empty());
}

TEST(LabelledTextReader, EveryLineHasALabelOrNone) {
  EXPECT_EQ(error_of("x y\n"),
            "d.txt:1:1: a line without a label: \"x y\"; write LABEL, a TAB and the text");
  EXPECT_EQ(error_of("\tx\n"),
            "d.txt:1:1: a line without a label: \"\\tx\"; write LABEL, a TAB and the text");
  const std::string remedy =
      "; label every line, or none; a text with TABs and without a label starts with a TAB";
  EXPECT_EQ(error_of("\nx\na\ty\n", true),
            "d.txt:3:1: a line with a label, unlike line 2: \"a\\ty\"" + remedy);
  EXPECT_EQ(error_of("a\tx\ny\n", true),
            "d.txt:2:1: a line without a label, unlike line 1: \"y\"" + remedy);
  EXPECT_EQ(error_of("  \tx\n"),
            "d.txt:1:1: a label of only spaces: \"  \\tx\"; write the label before the first TAB");
}

TEST(LabelledTextReader, BytesThatNoTextHasAreErrors) {
  EXPECT_EQ(error_of(std::string_view("a\tx\0y\n", 6)).substr(0, 22), "d.txt:1:4: a NUL byte:");
  EXPECT_EQ(error_of("a\tx\ry\n").substr(0, 38), "d.txt:1:4: a carriage return inside a ");
  EXPECT_EQ(error_of("a\tx\x01y\n"),
            "d.txt:1:4: a byte 0x01, which is reserved: \"a\\tx\\x01y\"; delete it, or write a "
            "space for it");
}

RC_GTEST_PROP(LabelledTextReader, RandomTextsReadBackEqualInBlocksOfAnySize, ()) {
  const bool labelled = *rc::gen::arbitrary<bool>();
  const auto piece =
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab :\\@#\"\xC3\xB1\xFF")));
  const auto texts = *rc::gen::container<std::vector<std::string>>(piece);
  Lines expected;
  std::string input;
  for (const std::string& text : texts) {
    const std::string label = labelled ? "n" + *piece : "";
    // A TAB in front: the text alone could be a line of blanks at the end of the input.
    input += label + "\t" + text + *rc::gen::element<std::string>("\n", "\r\n");
    expected.push_back({label, text, expected.size() + 1});
  }
  const TemporaryFile file(input);
  const auto block = *rc::gen::inRange<std::size_t>(1, 17);
  RC_ASSERT(read_all(LabelledTextReader(LineReader(file.path(), block), !labelled)) == expected);
}

}  // namespace
}  // namespace croft::labelled_text_test

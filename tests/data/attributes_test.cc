#include "data/attributes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "data/text_files.h"

namespace croft::attributes_test {
namespace {

struct Item {
  std::string label;
  std::vector<std::pair<std::string, double>> attributes;
  bool operator==(const Item&) const = default;
};
using Items = std::vector<Item>;

std::ostream& operator<<(std::ostream& out, const Item& item) {
  out << in_quotes(item.label);
  for (const auto& [name, value] : item.attributes) out << ' ' << in_quotes(name) << '=' << value;
  return out;
}

Items items_of(const TextSequence& sequence) {
  Items items;
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    items.emplace_back();
    if (sequence.has_labels()) items.back().label = sequence.labels.item(t);
    for (std::size_t k = sequence.node.list_begin(t); k < sequence.node.list_end(t); ++k) {
      items.back().attributes.emplace_back(sequence.node.item(k), sequence.node.value(k));
    }
  }
  return items;
}

std::vector<Items> read_all(AttributesReader reader) {
  std::vector<Items> sequences;
  TextSequence sequence;
  while (reader.next(sequence)) {
    EXPECT_EQ(sequence.edge.lists(), 0u);
    if (sequence.has_labels()) {
      EXPECT_EQ(sequence.labels.lists(), 1u);
      EXPECT_EQ(sequence.labels.list_end(0), sequence.length());
    }
    sequences.push_back(items_of(sequence));
  }
  return sequences;
}

std::vector<Items> read_all(std::string_view text, bool allow_unlabelled = false) {
  return read_all(AttributesReader(LineReader(text, "d.txt"), allow_unlabelled));
}

std::string error_of(std::string_view text, bool allow_unlabelled = false) {
  return message_of<InputError>([&] { read_all(text, allow_unlabelled); });
}

// The one item of a text of one line.
Item item_of(std::string_view line) { return read_all(line).at(0).at(0); }

TEST(AttributesReader, ReadsLabelsNamesAndValues) {
  EXPECT_EQ(
      read_all("A\tx\ty:0.5\nB\n\nC\tz:-2e3\n"),
      (std::vector<Items>{{{"A", {{"x", 1}, {"y", 0.5}}}, {"B", {}}}, {{"C", {{"z", -2000}}}}}));
}

TEST(AttributesReader, EmptyLinesEndASequenceAndEmptySequencesAreSkipped) {
  const std::vector<Items> expected{{{"A", {{"x", 1}}}}, {{"B", {{"y", 1}}}}};
  EXPECT_EQ(read_all("A\tx\n\nB\ty\n"), expected);
  EXPECT_EQ(read_all("\n\nA\tx\n\n\n\nB\ty"), expected);
  EXPECT_EQ(read_all("A\tx\r\n\r\nB\ty\r\n"), expected);
  EXPECT_EQ(read_all("\xEF\xBB\xBF"
                     "A\tx\n\nB\ty\n\n"),
            expected);
  EXPECT_TRUE(read_all("").empty());
  EXPECT_TRUE(read_all("\n\r\n\n").empty());
}

TEST(AttributesReader, OnlyTabsSeparateAndSeveralCountAsOne) {
  EXPECT_EQ(item_of("A b \t\t x y \tz\t"), (Item{"A b ", {{" x y ", 1}, {"z", 1}}}));
}

TEST(AttributesReader, BackslashEscapesColonAndBackslashOnly) {
  EXPECT_EQ(item_of("A\\:\\\\\ta\\:b\tc\\\\:2\td\\n\te\\\tf\\\\\\:\\::3"),
            (Item{"A:\\", {{"a:b", 1}, {"c\\", 2}, {"d\\n", 1}, {"e\\", 1}, {"f\\::", 3}}}));
}

TEST(AttributesReader, NothingAfterTheColonIsTheValueOne) {
  EXPECT_EQ(item_of("A\tx:\ty:2"), (Item{"A", {{"x", 1}, {"y", 2}}}));
}

TEST(AttributesReader, ValuesAreDecimalNumbers) {
  EXPECT_EQ(item_of("A\ta:+1.5\tb:1E2\tc:1e-400\td:0"),
            (Item{"A", {{"a", 1.5}, {"b", 100}, {"c", 0}, {"d", 0}}}));
}

TEST(AttributesReader, RepeatedAttributesAreAllKept) {
  EXPECT_EQ(item_of("A\tx\tx:2\tx"), (Item{"A", {{"x", 1}, {"x", 2}, {"x", 1}}}));
}

TEST(AttributesReader, NothingIsAComment) {
  EXPECT_EQ(item_of("# A\t#x"), (Item{"# A", {{"#x", 1}}}));
}

TEST(AttributesReader, LabelsAndNamesAreUtf8Clean) {
  EXPECT_EQ(item_of("größe\t単語\u3000:0.5\t\xFF"),
            (Item{"größe", {{"単語\u3000", 0.5}, {"\xFF", 1}}}));
}

TEST(AttributesReader, FirstLineIsThatOfTheFirstItem) {
  AttributesReader reader(LineReader("\nA\nB\n\n@weight:2\nC\n", "d.txt"));
  TextSequence sequence;
  ASSERT_TRUE(reader.next(sequence));
  EXPECT_EQ(sequence.first_line, 2u);
  EXPECT_EQ(sequence.weight, 1);
  ASSERT_TRUE(reader.next(sequence));
  EXPECT_EQ(sequence.first_line, 6u);
  EXPECT_EQ(sequence.weight, 2);
  EXPECT_FALSE(reader.next(sequence));
  EXPECT_EQ(reader.name(), "d.txt");
}

TEST(AttributesReader, WeightIsThatOfItsSequenceOnly) {
  AttributesReader reader(LineReader("@weight:0.25\t\nA\n\nB\n", "d.txt"));
  TextSequence sequence;
  ASSERT_TRUE(reader.next(sequence));
  EXPECT_EQ(sequence.weight, 0.25);
  EXPECT_EQ(sequence.length(), 1u);
  ASSERT_TRUE(reader.next(sequence));
  EXPECT_EQ(sequence.weight, 1);
}

TEST(AttributesReader, SecondColonIsAnError) {
  EXPECT_EQ(
      error_of("A\tx\nB\ty\ta:1:2\n"),
      "d.txt:2:5: a second colon in an attribute: \"a:1:2\"; write \\: for a colon that belongs "
      "to the name");
  EXPECT_NE(error_of("A\ta::"), "no error");
  EXPECT_NE(error_of("A\ta\\:b:1:\tc"), "no error");
}

TEST(AttributesReader, ValueThatIsNotANumberIsAnError) {
  EXPECT_EQ(error_of("A\ta:1x\n"),
            "d.txt:1:3: a value that is not a number: \"a:1x\"; write NAME:NUMBER; write \\: for a "
            "colon that belongs to the name");
  for (const char* field : {"a:x", "a:0x10", "a: 1", "a:1 ", "a:1\\:2", "a:1,5", "a:+-1", "a:\\"}) {
    EXPECT_NE(error_of(std::string("A\t") + field), "no error") << field;
  }
}

TEST(AttributesReader, ValueThatIsNotFiniteIsAnError) {
  EXPECT_EQ(error_of("A\ta:nan\n"),
            "d.txt:1:3: a value that is not a finite number: \"a:nan\"; give it a finite value, or "
            "leave the attribute out");
  for (const char* field : {"a:inf", "a:-inf", "a:Infinity", "a:1e309"}) {
    EXPECT_NE(error_of(std::string("A\t") + field), "no error") << field;
  }
}

TEST(AttributesReader, AttributeWithoutANameIsAnError) {
  EXPECT_EQ(error_of("A\tx\t:1\n"),
            "d.txt:1:5: an attribute without a name: \":1\"; write NAME or NAME:VALUE");
  EXPECT_NE(error_of("A\t:"), "no error");
}

TEST(AttributesReader, NamesThatStartWithByteOneAreReserved) {
  EXPECT_EQ(error_of("A\t\x01"
                     "bias\n"),
            "d.txt:1:3: an attribute name that starts with byte 0x01, which is reserved: "
            "\"\\x01bias\"; rename the attribute");
  EXPECT_NE(error_of("A\t\x01:2"), "no error");
  EXPECT_EQ(item_of("A\tx\x01"), (Item{"A", {{"x\x01", 1}}}));
}

TEST(AttributesReader, ColonInALabelIsAnError) {
  EXPECT_EQ(
      error_of("A:1\tx\n"),
      "d.txt:1:1: a colon in a label: \"A:1\"; write \\: for a colon that belongs to the label");
}

TEST(AttributesReader, BlankLabelIsAnError) {
  EXPECT_EQ(
      error_of("A\n\tx\n"),
      "d.txt:2:1: a line that starts with a TAB has no label: \"\\tx\"; write the label before "
      "the first TAB, or empty the line to end the sequence");
  EXPECT_EQ(error_of("A\n  \nB"),
            "d.txt:2:1: a label of only spaces: \"  \"; write the label before the first TAB, or "
            "empty the line to end the sequence");
  EXPECT_NE(error_of("A\n\t\n"), "no error");
  EXPECT_NE(error_of(" \tx"), "no error");
  EXPECT_NE(error_of("  ", true), "no error");
}

TEST(AttributesReader, UnlabelledItemsAreReadWhereAllowed) {
  EXPECT_EQ(read_all("\tx\ty:2\n\t\n\n\tz", true),
            (std::vector<Items>{{{"", {{"x", 1}, {"y", 2}}}, {"", {}}}, {{"", {{"z", 1}}}}}));
  AttributesReader reader(LineReader("\tx\n", "d.txt"), true);
  TextSequence sequence;
  ASSERT_TRUE(reader.next(sequence));
  EXPECT_FALSE(sequence.has_labels());
}

TEST(AttributesReader, LabelledItemsAreReadWhereUnlabelledOnesAreAllowed) {
  EXPECT_EQ(read_all("A\tx", true), (std::vector<Items>{{{"A", {{"x", 1}}}}}));
}

TEST(AttributesReader, MixOfLabelledAndUnlabelledItemsIsAnError) {
  EXPECT_EQ(
      error_of("\nA\tx\n\n\ty\n", true),
      "d.txt:4:1: an item without a label, unlike line 2: \"\\ty\"; label every item, or start "
      "every line with a TAB");
  EXPECT_EQ(error_of("\tx\nA\ty\n", true),
            "d.txt:2:1: an item with a label, unlike line 1: \"A\\ty\"; label every item, or start "
            "every line with a TAB");
}

TEST(AttributesReader, UnknownDirectiveIsAnError) {
  EXPECT_EQ(error_of("@wait:1\nA\n"),
            "d.txt:1:1: an unknown directive: \"@wait:1\"; the only one is @weight:NUMBER; a label "
            "cannot start with @");
  EXPECT_NE(error_of("@\tx\n"), "no error");
  EXPECT_NE(error_of("@weight\\:1\nA"), "no error");
  EXPECT_NE(error_of("@weights:1\nA"), "no error");
}

TEST(AttributesReader, WeightMustBeAPositiveFiniteNumber) {
  EXPECT_EQ(error_of("@weight:0\nA\n"),
            "d.txt:1:1: a weight that is not a positive finite number: \"@weight:0\"; write "
            "@weight:NUMBER, with a number above 0");
  for (const char* line : {"@weight", "@weight:", "@weight:-1", "@weight:nan", "@weight:inf",
                           "@weight:x", "@weight:1:2", "@weight:1e-400"}) {
    EXPECT_NE(error_of(std::string(line) + "\nA"), "no error") << line;
  }
}

TEST(AttributesReader, MisplacedDirectivesAreErrors) {
  EXPECT_EQ(
      error_of("A\n@weight:2\nB\n"),
      "d.txt:2:1: a directive inside a sequence: \"@weight:2\"; put it before the first item of "
      "its sequence; a label cannot start with @");
  EXPECT_EQ(error_of("@weight:2\n@weight:3\nA\n"),
            "d.txt:2:1: a second weight for one sequence: \"@weight:3\"; keep one of them");
  EXPECT_EQ(error_of("@weight:2\tA\n"),
            "d.txt:1:11: text behind a directive: \"A\"; give the directive a line of its own");
  const std::string lonely =
      "d.txt:1: a weight without a sequence; put the items on the lines right below it, or delete "
      "it";
  EXPECT_EQ(error_of("@weight:2\n\nA\n"), lonely);
  EXPECT_EQ(error_of("@weight:2\n"), lonely);
}

TEST(AttributesReader, NulBytesAndStrayCarriageReturnsAreErrors) {
  EXPECT_EQ(
      error_of(std::string_view("A\tx\0y\n", 6)),
      "d.txt:1:4: a NUL byte: \"A\\tx\\x00y\"; give plain UTF-8 text: this looks like UTF-16, a "
      "binary or a compressed file");
  EXPECT_EQ(error_of("A\tx\rB\ty\r"),
            "d.txt:1:4: a carriage return inside a line: \"A\\tx\\rB\\ty\"; end every line with a "
            "newline, or with one carriage return and a newline");
}

TEST(AttributesReader, LineOfTenMegabytesIsFine) {
  const std::string name(5'000'000, 'x');
  std::string line = "A\t" + name;
  std::size_t attributes = 1;
  for (; line.size() < 10'000'000; ++attributes) line += "\tk" + std::to_string(attributes) + ":2";
  const TemporaryFile file("B\n" + line + "\nC");
  AttributesReader reader{LineReader(file.path())};
  TextSequence sequence;
  ASSERT_TRUE(reader.next(sequence));
  ASSERT_EQ(sequence.length(), 3u);
  EXPECT_EQ(sequence.node.items(), attributes);
  EXPECT_TRUE(sequence.node.item(0) == name);
  EXPECT_EQ(sequence.node.value(attributes - 1), 2);
}

std::string written(const std::vector<Items>& sequences, const std::string& newline) {
  std::string text;
  for (const Items& items : sequences) {
    for (const Item& item : items) {
      text += escape_attribute(item.label);
      for (const auto& [name, value] : item.attributes) {
        char number[64];
        const auto [end, fault] = std::to_chars(number, number + sizeof number, value);
        text += "\t" + escape_attribute(name);
        if (value != 1) text.append(":").append(number, end);
      }
      text += newline;
    }
    text += newline;
  }
  return text;
}

rc::Gen<std::vector<Items>> some_sequences() {
  // A letter at the front keeps labels clear of @ and of spaces only, and names clear of byte 0x01.
  const auto text = rc::gen::map(
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("a:\\ @\x01\xC3\xB1\xFF"))),
      [](std::string tail) { return "n" + std::move(tail); });
  const auto anywhere = rc::gen::oneOf(
      text, rc::gen::element<std::string>("\\", ":", "\\:", ":\\", "\\\\", "ñ", "@weight:2", " "));
  const auto value = rc::gen::map(rc::gen::arbitrary<double>(),
                                  [](double x) { return std::isfinite(x) ? x : 1.0; });
  const auto attributes = rc::gen::container<std::vector<std::pair<std::string, double>>>(
      rc::gen::pair(anywhere, rc::gen::oneOf(rc::gen::just(1.0), value)));
  const auto item = rc::gen::build<Item>(rc::gen::set(&Item::label, text),
                                         rc::gen::set(&Item::attributes, attributes));
  // The reader refuses blanks in the first label where no line has a TAB.
  return rc::gen::map(rc::gen::scale(0.15, rc::gen::container<std::vector<Items>>(
                                               rc::gen::nonEmpty(rc::gen::container<Items>(item)))),
                      [](std::vector<Items> sequences) {
                        if (!sequences.empty()) sequences[0][0].attributes.emplace_back("a", 1.0);
                        return sequences;
                      });
}

RC_GTEST_PROP(AttributesReader, RandomSequencesReadBackEqual, ()) {
  const auto sequences = *some_sequences();
  const auto text = written(sequences, *rc::gen::element<std::string>("\n", "\r\n"));
  RC_ASSERT(read_all(text) == sequences);
}

RC_GTEST_PROP(AttributesReader, BlocksOfAnySizeGiveTheSameSequences, ()) {
  const auto sequences = *some_sequences();
  const TemporaryFile file(written(sequences, "\n"));
  const auto block = *rc::gen::inRange<std::size_t>(1, 17);
  RC_ASSERT(read_all(AttributesReader(LineReader(file.path(), block))) == sequences);
}

TEST(EscapeAttribute, ColonsAndBackslashesAreEscaped) {
  EXPECT_EQ(escape_attribute("a:b\\c"), "a\\:b\\\\c");
  EXPECT_EQ(escape_attribute("größe x"), "größe x");
}

TEST(EscapeAttribute, WhatTheFormatCannotHoldIsAnError) {
  EXPECT_EQ(
      message_of<Error>([] { escape_attribute("a\tb"); }),
      "cannot write \"a\\tb\" in the attributes format; a name needs at least one byte, and no "
      "TAB, newline, carriage return or NUL");
  for (const std::string_view text : {std::string_view(""), std::string_view("a\n"),
                                      std::string_view("\r"), std::string_view("\0", 1)}) {
    EXPECT_THROW(escape_attribute(text), Error);
  }
}

}  // namespace
}  // namespace croft::attributes_test

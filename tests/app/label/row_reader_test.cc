#include "app/label/row_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "app/convert/convert.h"
#include "data/text_files.h"

namespace croft::row_reader_test {
namespace {

std::vector<std::string> rows_of(std::string_view text, ChunkScheme scheme) {
  RowReader reader(LineReader(text, "d"), scheme, 0, true);
  ColumnSequence rows;
  std::string line;
  std::vector<std::string> all;
  while (reader.next(rows, line)) {
    for (std::size_t t = 0; t < rows.rows(); ++t) all.emplace_back(rows.line(t));
    all.emplace_back();
  }
  return all;
}

constexpr std::string_view kLine =
    "{\"tokens\": [\"a\", \"b\", \"c\", \"d\"], \"spans\": [[0, 1, \"X\"], [1, 3, \"X\"]]}\n";

TEST(RowReader, SpansBecomeLabelsOfTheScheme) {
  using Rows = std::vector<std::string>;
  EXPECT_EQ(rows_of(kLine, ChunkScheme::bio), (Rows{"a B-X", "b B-X", "c I-X", "d O", ""}));
  EXPECT_EQ(rows_of(kLine, ChunkScheme::bio1), (Rows{"a I-X", "b B-X", "c I-X", "d O", ""}));
  EXPECT_EQ(rows_of(kLine, ChunkScheme::ioe), (Rows{"a E-X", "b I-X", "c E-X", "d O", ""}));
  EXPECT_EQ(rows_of(kLine, ChunkScheme::bioes), (Rows{"a S-X", "b B-X", "c E-X", "d O", ""}));
  EXPECT_EQ(rows_of("{\"tokens\": [\"a\", \"b\"], \"spans\": [[0, 2, \"\"]]}", ChunkScheme::bio),
            (Rows{"a B", "b I", ""}));
  EXPECT_EQ(rows_of("{\"tokens\": [\"a\", \"b\"]}", ChunkScheme::bio), (Rows{"a", "b", ""}));
}

TEST(RowReader, ASpanWithoutALabelHasToBeReadableAgain) {
  const auto message = [](const char* text, ChunkScheme scheme) {
    RowReader reader(LineReader(text, "d"), scheme);
    ColumnSequence rows;
    std::string line;
    return message_of<InputError>([&] {
      while (reader.next(rows, line)) continue;
    });
  };
  for (const ChunkScheme scheme : {ChunkScheme::bio1, ChunkScheme::ioe, ChunkScheme::bioes}) {
    EXPECT_NE(message(R"({"tokens": ["a"], "spans": [[0, 1, ""]]})", scheme).find("d:1: a span"),
              std::string::npos);
  }
  const std::string mixed = message(
      "{\"tokens\": [\"a\"], \"spans\": [[0, 1, \"X\"]]}\n"
      "{\"tokens\": [\"a\"], \"spans\": [[0, 1, \"\"]]}\n",
      ChunkScheme::bio);
  EXPECT_NE(mixed.find("d:2: spans with a label beside"), std::string::npos) << mixed;
}

TEST(RowReader, ASequenceWithoutSpansIsAnErrorWhereLabelsAreNeeded) {
  RowReader reader(LineReader("{\"tokens\": [\"a\"]}", "d"), ChunkScheme::bio);
  ColumnSequence rows;
  std::string line;
  const std::string message = message_of<InputError>([&] { reader.next(rows, line); });
  EXPECT_NE(message.find("d:1: a sequence without \"spans\""), std::string::npos) << message;
}

TEST(RowReader, SpellingsOfSpansAreFound) {
  const auto scheme = [](std::vector<std::string_view> labels) { return span_scheme(labels); };
  EXPECT_EQ(scheme({"O", "B-X", "I-X"}), ChunkScheme::bio);
  EXPECT_EQ(scheme({"O", "S-X", "B-X", "E-X"}), ChunkScheme::bioes);
  EXPECT_EQ(scheme({"O", "I-X", "E-X"}), ChunkScheme::ioe);
  EXPECT_EQ(scheme({"B", "I", "O"}), ChunkScheme::bio);
  EXPECT_EQ(scheme({"O"}), ChunkScheme::bio);
  EXPECT_EQ(scheme({"NN", "VB"}), ChunkScheme::none);
  EXPECT_EQ(scheme({"I", "V"}), ChunkScheme::none);
}

std::string to_spans(const std::string& columns, ChunkScheme scheme) {
  const TemporaryFile file(columns);
  std::string out;
  columns_to_spans(file.path(), scheme, false, [&](std::string_view text) { out += text; });
  return out;
}

std::string to_columns(const std::string& spans, ChunkScheme scheme) {
  const TemporaryFile file(spans);
  std::string out;
  spans_to_columns(file.path(), scheme, [&](std::string_view text) { out += text; });
  return out;
}

// Well-formed labels come back to the byte; so do the spans of any.
RC_GTEST_PROP(ConvertData, ColumnsAndSpansComeBackAsTheyWere, ()) {
  const auto scheme =
      *rc::gen::element(ChunkScheme::bio, ChunkScheme::bio1, ChunkScheme::ioe, ChunkScheme::bioes);
  const auto word = rc::gen::nonEmpty(
      rc::gen::container<std::string>(rc::gen::element('a', 'B', '"', '\\', '{', '\x7f')));
  std::string columns;
  const auto sequences = *rc::gen::inRange(1, 4);
  for (int n = 0; n < sequences; ++n) {
    const auto length = *rc::gen::inRange<std::size_t>(1, 7);
    std::vector<LabelledSpan> spans;
    for (std::size_t t = 0; t < length;) {
      const auto end = *rc::gen::inRange<std::size_t>(t + 1, length + 1);
      if (*rc::gen::arbitrary<bool>()) {
        spans.push_back({t, end, *rc::gen::element(std::string("X"), std::string("Y-Z"))});
      }
      t = end;
    }
    const std::vector<std::string> labels = labels_of_spans(spans, length, scheme);
    for (const std::string& label : labels) columns += *word + " " + *word + " " + label + "\n";
    columns += "\n";
  }
  const std::string spans = to_spans(columns, scheme);
  RC_ASSERT(to_columns(spans, scheme) == columns);
  RC_ASSERT(to_spans(to_columns(spans, ChunkScheme::bioes), ChunkScheme::bioes) == spans);
}

TEST(ConvertData, LabelsThatSpellNoChunksAreAnError) {
  const std::string message =
      message_of<UsageError>([] { to_spans("the DT\ncat NN\n", ChunkScheme::automatic); });
  EXPECT_NE(message.find("--label-scheme raw"), std::string::npos) << message;
  EXPECT_EQ(to_spans("the DT\ncat O\n", ChunkScheme::raw),
            "{\"tokens\":[\"the\",\"cat\"],\"spans\":[[0,1,\"DT\"]]}\n");
}

TEST(ConvertData, WhatColumnsCannotHoldIsAnError) {
  const auto message = [](const std::string& spans) {
    return message_of<InputError>([&] { to_columns(spans, ChunkScheme::automatic); });
  };
  EXPECT_NE(message("{\"tokens\": [\"New York\"]}").find("cannot be a column"), std::string::npos);
  EXPECT_NE(message("{\"tokens\": [\"a\"], \"spans\": [[0, 1, \"a b\"]]}").find("cannot be"),
            std::string::npos);
  EXPECT_NE(message("{\"tokens\": []}").find("without a token"), std::string::npos);
  EXPECT_NE(
      message("{\"tokens\": [\"a\"]}\n{\"tokens\": [\"a\"], \"spans\": []}").find("unlike line 1"),
      std::string::npos);
}

}  // namespace
}  // namespace croft::row_reader_test

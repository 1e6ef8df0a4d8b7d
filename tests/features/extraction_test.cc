// From rows to strings: which template is expanded where, and what START and STOP become.
#include "features/extraction.h"

#include <gtest/gtest.h>

#include "croft/core/error.h"

namespace croft::extraction_test {
namespace {

ColumnSequence rows(const std::vector<std::string>& lines) {
  ColumnSequence sequence;
  for (const std::string& line : lines) sequence.append_row(line);
  return sequence;
}

std::vector<std::string> list(const StringLists& lists, std::size_t p) {
  std::vector<std::string> items;
  for (std::size_t k = lists.list_begin(p); k < lists.list_end(p); ++k) {
    items.emplace_back(lists.item(k));
  }
  return items;
}

Extractor extractor(const std::string& text, bool boundaries) {
  ExtractionConfig config;
  config.template_text = text;
  config.template_name = "t";
  config.columns = 1;
  config.boundaries = boundaries;
  return Extractor(config);
}

using Strings = std::vector<std::string>;

TEST(Extraction, NodeTemplatesEverywhereAndEdgeTemplatesFromTheSecondPositionOn) {
  const Extractor e = extractor("U:%x[0,0]\nB:%x[0,0]\nB\n", false);
  Extractor::Scratch scratch;
  TextSequence out;
  e.extract(rows({"a X", "b Y"}), true, scratch, out);
  EXPECT_EQ(list(out.node, 0), Strings{"U:a"});
  EXPECT_EQ(list(out.node, 1), Strings{"U:b"});
  EXPECT_EQ(list(out.edge, 0), Strings{});
  EXPECT_EQ(list(out.edge, 1), Strings{"B:b"});
  EXPECT_EQ(list(out.labels, 0), (Strings{"X", "Y"}));
  EXPECT_EQ(e.tied_names(), Strings{"B"});  // the same at every edge: a transition table
}

// As CRF++ has them, which adds up the weights of an edge in the order of the template's lines.
TEST(Extraction, UntiedTemplatesOfEdgesStandInTheirTurnAndAsOftenAsInTheTemplate) {
  ExtractionConfig config;
  config.template_text = "B\nB:%x[0,0]\nB\nU\n";
  config.columns = 1;
  config.untied = true;
  const Extractor e(config);
  Extractor::Scratch scratch;
  TextSequence out;
  e.extract(rows({"a", "b"}), false, scratch, out);
  EXPECT_EQ(list(out.edge, 0), Strings{});
  EXPECT_EQ(list(out.edge, 1), (Strings{"B", "B:b", "B"}));
  EXPECT_EQ(e.tied_names(), Strings{});
}

TEST(Extraction, RowsMayHaveMoreColumnsThanAreLookedAtAndTheLastIsTheLabel) {
  ExtractionConfig config;
  config.template_text = "U:%x[0,0]\n";
  config.columns = 1;
  config.more_columns = true;
  const Extractor e(config);
  Extractor::Scratch scratch;
  TextSequence out;
  e.extract(rows({"a X", "b c d Y"}), true, scratch, out);
  EXPECT_EQ(list(out.node, 1), Strings{"U:b"});
  EXPECT_EQ(list(out.labels, 0), (Strings{"X", "Y"}));
}

TEST(Extraction, CellsAreAttributesOfPositionsAndEdgesByTheirFirstLetter) {
  ExtractionConfig config;
  config.more_columns = true;
  config.cell_attributes = CellAttributes::by_prefix;
  Extractor::Scratch scratch;
  TextSequence out;
  const ColumnSequence cells = rows({"ua b *c X", "*d e ua ua b Y"});
  Extractor(config).extract(cells, true, scratch, out);
  EXPECT_EQ(list(out.node, 0), (Strings{"ua", "*c"}));
  EXPECT_EQ(list(out.edge, 0), Strings{});
  EXPECT_EQ(list(out.node, 1), (Strings{"*d", "ua", "ua"}));
  EXPECT_EQ(list(out.edge, 1), (Strings{"*d", "b"}));
  EXPECT_EQ(list(out.labels, 0), (Strings{"X", "Y"}));
  config.cell_attributes = CellAttributes::all;
  Extractor(config).extract(cells, false, scratch, out);
  EXPECT_EQ(list(out.node, 1), (Strings{"*d", "e", "ua", "ua", "b", "Y"}));
  EXPECT_EQ(list(out.edge, 1), Strings{});
}

TEST(Extraction, BoundariesTurnEdgesThatTouchStartAndStopIntoNodeFeatures) {
  const Extractor e = extractor("U:%x[0,0]\nB:%x[0,0]\nB\n", true);
  Extractor::Scratch scratch;
  TextSequence out;
  e.extract(rows({"a X", "b Y"}), true, scratch, out);
  EXPECT_EQ(list(out.node, 0), (Strings{"U:a", boundary_name(Boundary::start, "B"),
                                        boundary_name(Boundary::start, "B:a")}));
  EXPECT_EQ(list(out.node, 1), (Strings{"U:b", boundary_name(Boundary::stop, "B"),
                                        boundary_name(Boundary::stop, "B:_B+1")}));
}

TEST(Extraction, ASequenceOfOnePositionTouchesBothEnds) {
  const Extractor e = extractor("U:%x[0,0]\nB\n", true);
  Extractor::Scratch scratch;
  TextSequence out;
  e.extract(rows({"a X"}), true, scratch, out);
  EXPECT_EQ(list(out.node, 0), (Strings{"U:a", boundary_name(Boundary::start, "B"),
                                        boundary_name(Boundary::stop, "B")}));
}

TEST(Extraction, BoundariesOfAttributeLinesAreAddedToTheFirstAndLastPosition) {
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  config.boundaries = true;
  const Extractor e(config);
  Extractor::Scratch scratch;
  TextSequence sequence;
  for (const char* name : {"a", "b"}) {
    sequence.node.append(name, 2);
    sequence.node.end_list();
  }
  e.complete(sequence, scratch);
  EXPECT_EQ(list(sequence.node, 0), (Strings{"a", boundary_name(Boundary::start, "")}));
  EXPECT_EQ(list(sequence.node, 1), (Strings{"b", boundary_name(Boundary::stop, "")}));
  EXPECT_EQ(sequence.node.value(0), 2);
  EXPECT_EQ(sequence.node.value(1), 1);
}

TEST(Extraction, ATextIsOnePositionWithItsTerms) {
  ExtractionConfig config;
  config.format = InputFormat::text;
  config.text.tokenizer.stop_words = {"the"};
  const Extractor e(config);
  Extractor::Scratch scratch;
  TextSequence out;
  for (int repeat = 0; repeat < 2; ++repeat) {  // what was there before is overwritten
    e.extract({"news", "The cat sat, the cat!", 7}, scratch, out);
    EXPECT_EQ(out.length(), 1u);
    EXPECT_EQ(list(out.node, 0), (Strings{"cat", "sat"}));
    EXPECT_EQ(out.node.value(0), 2);
    EXPECT_EQ(list(out.labels, 0), Strings{"news"});
    EXPECT_EQ(out.first_line, 7u);
  }
  e.extract({"", "", 8}, scratch, out);
  EXPECT_EQ(out.length(), 1u);
  EXPECT_EQ(out.node.items(), 0u);
  EXPECT_FALSE(out.has_labels());
}

TEST(Extraction, ATextHasInterceptAndBoundariesLikeAnyPosition) {
  ExtractionConfig config;
  config.format = InputFormat::text;
  config.boundaries = config.intercept = true;
  const Extractor e(config);
  Extractor::Scratch scratch;
  TextSequence out;
  e.extract({"news", "cat", 1}, scratch, out);
  EXPECT_EQ(list(out.node, 0),
            (Strings{"cat", std::string(kIntercept), boundary_name(Boundary::start, ""),
                     boundary_name(Boundary::stop, "")}));
}

TEST(Extraction, FormatsAreKnownByTheirNames) {
  for (const char* name : {"columns", "attributes", "text", "svmlight", "csv"}) {
    ASSERT_TRUE(format_of(name)) << name;
    EXPECT_EQ(format_name(*format_of(name)), name);
  }
  EXPECT_FALSE(format_of("tsv"));
}

TEST(Extraction, BoundaryNamesAreReadBack) {
  Boundary boundary{};
  std::string_view edge;
  const std::string name = boundary_name(Boundary::stop, "B01:x");
  ASSERT_TRUE(parse_boundary_name(name, boundary, edge));
  EXPECT_EQ(boundary, Boundary::stop);
  EXPECT_EQ(edge, "B01:x");
  EXPECT_FALSE(parse_boundary_name("START", boundary, edge));
}

TEST(Extraction, BoundariesWithoutAnyEdgeFeatureAreAnError) {
  EXPECT_THROW(extractor("U:%x[0,0]\n", true), UsageError);
}

TEST(Extraction, ATemplateWithoutEdgeLinesHasNoTransitions) {
  EXPECT_TRUE(extractor("U:%x[0,0]\n", false).tied_names().empty());
}

TEST(Extraction, AColumnThatDoesNotExistIsAnErrorThatQuotesTheLine) {
  try {
    extractor("U:%x[0,3]\n", false);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("U:%x[0,3]"), std::string::npos);
  }
}

}  // namespace
}  // namespace croft::extraction_test

// The language of segment templates.
#include "features/segment_template.h"

#include <gtest/gtest.h>

namespace croft::segment_template_test {
namespace {

using Reach = SegmentTemplate::Reach;

Reach reach_of(const std::string& line) {
  return SegmentTemplates::parse(line, "t").templates().at(0).reach;
}

std::string complaint(const std::string& text) {
  try {
    SegmentTemplates::parse(text, "t");
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(SegmentTemplates, WhatALineLooksAtSaysHowOftenItIsScored) {
  EXPECT_EQ(reach_of("U:%length"), Reach::length);
  EXPECT_EQ(reach_of("U:%value[log]"), Reach::length);
  EXPECT_EQ(reach_of("U:%first[-1,0]"), Reach::begin);
  EXPECT_EQ(reach_of("U:%last[+1,0]/%last[0,1]"), Reach::end);
  EXPECT_EQ(reach_of("U:%first[0,0]/%last[0,0]"), Reach::segment);
  EXPECT_EQ(reach_of("U:%last[0,0]/%length"), Reach::segment);
  EXPECT_EQ(reach_of("U:%lower"), Reach::segment);
  EXPECT_EQ(reach_of("B:%seen[fold]"), Reach::segment);
}

TEST(SegmentTemplates, CommentsAndEmptyLinesAreSkipped) {
  const auto templates = SegmentTemplates::parse("# U:%size\n\n  \r\nB1:%length  \n", "t");
  ASSERT_EQ(templates.templates().size(), 1u);
  EXPECT_TRUE(templates.templates()[0].pairs);
  EXPECT_TRUE(templates.has_pairs());
  EXPECT_TRUE(SegmentTemplates::parse("", "t").templates().empty());
}

TEST(SegmentTemplates, RangesFollowEachOther) {
  const auto bins =
      SegmentTemplates::parse("U:%length[1,2-3,4-]", "t").templates()[0].parts[1].bins;
  EXPECT_EQ(bins, (std::vector<std::uint32_t>{1, 2, 4}));
  const auto closed = SegmentTemplates::parse("U:%length[1-2,3]", "t").templates()[0].parts[1].bins;
  EXPECT_EQ(closed, (std::vector<std::uint32_t>{1, 3, 4}));
}

TEST(SegmentTemplates, ColumnsThatAreUsedAreKnownAndChecked) {
  const auto templates = SegmentTemplates::parse("U:%text[2]\nU:%last[0,1]/%lower\n", "t");
  EXPECT_EQ(templates.columns(), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(templates.joined().size(), 2u);
  EXPECT_NO_THROW(templates.check_columns(3));
  EXPECT_THROW(templates.check_columns(2), InputError);
}

TEST(SegmentTemplates, FaultsNameLineAndColumn) {
  EXPECT_NE(complaint("U:%length\nX:%length").find("t:2:1: "), std::string::npos);
  EXPECT_NE(complaint("U:a%size").find("t:1:4: "), std::string::npos);
  EXPECT_NE(complaint("U:plain").find("without a macro"), std::string::npos);
  EXPECT_NE(complaint("U:%length[1,3]").find("follow each other"), std::string::npos);
  EXPECT_NE(complaint("U:%first[x,0]").find("a row"), std::string::npos);
  EXPECT_NE(complaint("U:%last[0,-1]").find("a column"), std::string::npos);
  EXPECT_NE(complaint("U:%gazetteer[like]").find("[overlap]"), std::string::npos);
  EXPECT_NE(complaint("U:%seen/%gazetteer[fold]").find("a template for each"), std::string::npos);
  EXPECT_NE(complaint("U:%value[log]%value[log]").find("give a template one"), std::string::npos);
}

}  // namespace
}  // namespace croft::segment_template_test

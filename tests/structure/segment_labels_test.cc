// Column labels as segments and back, under every scheme.
#include "croft/structure/segment_labels.h"

#include <gtest/gtest.h>

#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft::segment_labels_test {
namespace {

const std::vector<std::string> kBio{"O", "B-X", "I-X", "B-Y", "I-Y"};
const std::vector<std::string> kBioes{"O", "B-X", "I-X", "E-X", "S-X", "S-Y"};
const std::vector<std::string> kIoe{"I-X", "E-X", "O"};
const std::vector<std::string> kRaw{"O", "X", "Y"};

std::vector<Label> spelt(const SegmentLabels& labels, const std::vector<Segment>& segments,
                         std::size_t length) {
  std::vector<Label> columns(length);
  spell(labels, segments, columns);
  return columns;
}

TEST(SegmentLabels, TwoLabelsThatSpellTheSamePartAreRefused) {
  const std::vector<std::string> columns = {"B-A", "I-A", "M-A", "E-A", "S-A"};
  try {
    segment_labels(columns, ChunkScheme::bioes);
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()).find("the label \"M-A\" stands for a part of segments"),
              0u);
  }
}

TEST(SegmentLabels, BioHasATypeWithABeginningAndAnInside) {
  const SegmentLabels labels = segment_labels(kBio, ChunkScheme::bio);
  EXPECT_EQ(labels.names, (std::vector<std::string>{"O", "X", "Y"}));
  EXPECT_EQ(labels.first, (std::vector<Label>{0, 1, 3}));
  EXPECT_EQ(labels.inside, (std::vector<Label>{SegmentLabels::kNone, 2, 4}));
  EXPECT_EQ(segment_label_of(labels, 5), (std::vector<Label>{0, 1, 1, 2, 2}));
  for (Label y = 0; y < 3; ++y) EXPECT_TRUE(labels.may_follow_itself(y));
  const std::vector<Label> columns{1, 2, 1, 0, 0, 3, 4, 4};
  const std::vector<Segment> segments{{0, 2, 1}, {2, 3, 1}, {3, 4, 0}, {4, 5, 0}, {5, 8, 2}};
  EXPECT_EQ(read_segments(labels, columns), segments);
  EXPECT_EQ(spelt(labels, segments, 8), columns);
}

TEST(SegmentLabels, BioesMarksEndsAndSingles) {
  const SegmentLabels labels = segment_labels(kBioes, ChunkScheme::bioes);
  EXPECT_EQ(labels.names, (std::vector<std::string>{"O", "X", "Y"}));
  EXPECT_EQ(labels.inside[2], SegmentLabels::kNone);  // S alone: of one position
  const std::vector<Label> columns{1, 2, 3, 4, 1, 3, 5};
  const std::vector<Segment> segments{{0, 3, 1}, {3, 4, 1}, {4, 6, 1}, {6, 7, 2}};
  EXPECT_EQ(read_segments(labels, columns), segments);
  EXPECT_EQ(spelt(labels, segments, 7), columns);
}

TEST(SegmentLabels, IoeMarksEnds) {
  const SegmentLabels labels = segment_labels(kIoe, ChunkScheme::ioe);
  const std::vector<Label> columns{0, 0, 1, 1, 2, 0, 1};
  const std::vector<Segment> segments{{0, 3, 0}, {3, 4, 0}, {4, 5, 1}, {5, 7, 0}};
  EXPECT_EQ(read_segments(labels, columns), segments);
  EXPECT_EQ(spelt(labels, segments, 7), columns);
  EXPECT_TRUE(labels.may_follow_itself(0));
}

TEST(SegmentLabels, PlainLabelsAreTokensOrRuns) {
  const std::vector<Label> columns{1, 1, 2, 0, 0};
  const SegmentLabels tokens = segment_labels(kRaw, ChunkScheme::none, PlainLabels::tokens);
  EXPECT_EQ(read_segments(tokens, columns).size(), 5u);
  EXPECT_TRUE(tokens.may_follow_itself(1));
  const SegmentLabels runs = segment_labels(kRaw, ChunkScheme::none, PlainLabels::runs);
  EXPECT_EQ(read_segments(runs, columns), (std::vector<Segment>{{0, 2, 1}, {2, 3, 2}, {3, 5, 0}}));
  EXPECT_FALSE(runs.may_follow_itself(1));
  const SegmentLabels raw = segment_labels(kRaw, ChunkScheme::raw, PlainLabels::runs);
  EXPECT_EQ(read_segments(raw, columns).size(), 5u);
}

TEST(SegmentLabels, RunsDoNotFollowThemselves) {
  Matrix<double> log(3, 3, 1.0);
  forbid_repeats(segment_labels(kRaw, ChunkScheme::none, PlainLabels::runs), log);
  EXPECT_EQ(log(1, 1), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(log(1, 2), 1);
  Matrix<double> free(3, 3, 1.0);
  forbid_repeats(segment_labels(kBio, ChunkScheme::bio), free);
  EXPECT_EQ(free(1, 1), 1);
}

TEST(SegmentLabels, IWithoutABeginningIsReadAsConllevalReadsItAndFound) {
  const SegmentLabels labels = segment_labels(kBio, ChunkScheme::bio);
  const std::vector<Label> columns{0, 2, 2, 4};
  const std::vector<Segment> segments = read_segments(labels, columns);
  EXPECT_EQ(segments, (std::vector<Segment>{{0, 1, 0}, {1, 3, 1}, {3, 4, 2}}));
  EXPECT_EQ(first_misspelling(labels, segments, columns), 1u);
  const std::vector<Label> sound{0, 1, 2, 3};
  EXPECT_EQ(first_misspelling(labels, read_segments(labels, sound), sound), std::nullopt);
}

TEST(SegmentLabels, ATypeWithoutBHasRuns) {
  const std::vector<std::string> columns{"O", "I-X"};
  const SegmentLabels labels = segment_labels(columns, ChunkScheme::bio);
  EXPECT_EQ(labels.first[1], 1u);
  EXPECT_EQ(labels.inside[1], 1u);
  EXPECT_FALSE(labels.may_follow_itself(1));
}

TEST(SegmentLabels, EverySegmentationIsReadBackAsItWasSpelt) {
  Random random(31);
  for (const auto& [names, scheme] : {std::pair{kBio, ChunkScheme::bio},
                                      {kBioes, ChunkScheme::bioes},
                                      {kIoe, ChunkScheme::ioe},
                                      {kRaw, ChunkScheme::none}}) {
    for (const PlainLabels plain : {PlainLabels::tokens, PlainLabels::runs}) {
      const SegmentLabels labels = segment_labels(names, scheme, plain);
      for (int repeat = 0; repeat < 200; ++repeat) {
        std::vector<Segment> segments;
        std::size_t t = 0;
        while (t < 9) {
          const auto y = static_cast<Label>(random.below(labels.labels()));
          if (!segments.empty() && segments.back().label == y && !labels.may_follow_itself(y)) {
            if (labels.labels() == 1) break;
            continue;
          }
          const std::size_t d = labels.inside[y] == SegmentLabels::kNone ? 1 : 1 + random.below(3);
          segments.push_back({t, t + d, y});
          t += d;
        }
        const std::vector<Label> columns = spelt(labels, segments, t);
        ASSERT_EQ(read_segments(labels, columns), segments);
        ASSERT_EQ(first_misspelling(labels, segments, columns), std::nullopt);
      }
    }
  }
}

TEST(SegmentLabels, SchemesThatCannotBeSpeltPositionByPositionAreErrors) {
  EXPECT_THROW(segment_labels(kBio, ChunkScheme::automatic), UsageError);
  EXPECT_THROW(segment_labels(kBio, ChunkScheme::bio1), UsageError);
}

}  // namespace
}  // namespace croft::segment_labels_test

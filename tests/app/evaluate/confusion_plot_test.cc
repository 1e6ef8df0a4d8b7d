#include "app/evaluate/confusion_plot.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/json.h"

namespace croft::confusion_plot_test {
namespace {

using Labels = std::vector<std::string_view>;

Evaluation evaluation_with_confusions() {
  EvaluationOptions options;
  options.confusion = true;
  return Evaluation(options);
}

std::size_t count_of(std::string_view what, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(ConfusionPlot, ChunksOfOneExtentAreComparedAndOthersHaveNone) {
  Evaluation evaluation = evaluation_with_confusions();
  evaluation.add(Labels{"B-A", "I-A", "O", "B-B", "O", "B-A"},
                 Labels{"B-B", "I-B", "O", "B-B", "B-A", "O"});
  const auto confusion = evaluation.summary().chunk->confusion;
  std::vector<std::string> found;
  for (const Confusion& each : confusion) {
    found.push_back(each.gold + ">" + each.predicted + ":" + std::to_string(each.count));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"(none)>A:1", "A>(none):1", "A>B:1", "B>B:1"}));
}

TEST(ConfusionPlot, OfChunksTheCountsOnTheDiagonalAreTheCorrectOnesOfTheReport) {
  Evaluation evaluation = evaluation_with_confusions();
  evaluation.add(Labels{"B-A", "I-A", "O", "B-B", "O", "B-A", "I-A"},
                 Labels{"B-A", "I-A", "B-A", "B-B", "O", "O", "B-A"});
  const EvaluationSummary summary = evaluation.summary();
  Counts counts;
  for (const Confusion& each : summary.chunk->confusion) {
    if (each.gold == each.predicted) counts.correct += each.count;
    if (each.gold != ChunkSummary::kNoChunk) counts.gold += each.count;
    if (each.predicted != ChunkSummary::kNoChunk) counts.predicted += each.count;
  }
  EXPECT_EQ(counts.correct, summary.chunk->all.correct);
  EXPECT_EQ(counts.gold, summary.chunk->all.gold);
  EXPECT_EQ(counts.predicted, summary.chunk->all.predicted);
}

TEST(Confusion, OfChunksIsASecondTableAndASecondKey) {
  Evaluation evaluation = evaluation_with_confusions();
  evaluation.add(Labels{"B-A", "I-A", "O", "B-B", "O", "B-A"},
                 Labels{"B-B", "I-B", "O", "B-B", "B-A", "O"});
  const EvaluationSummary summary = evaluation.summary();
  const std::string table = format_table(summary);
  EXPECT_NE(table.find("\n\nlabels, gold  predicted      mistakes\n"
                       "B-A           B-B                   1\n"
                       "B-A           O                     1\n"
                       "I-A           I-B                   1\n"
                       "O             B-A                   1\n"
                       "\nchunks, gold  predicted      mistakes\n"
                       "(none)        A                     1\n"
                       "A             (none)                1\n"
                       "A             B                     1\n"),
            table.npos)
      << table;
  const Json document = to_json(summary);
  EXPECT_EQ(document["chunk_confusion"],
            (Json{{"(none)", {{"A", 1}}}, {"A", {{"(none)", 1}, {"B", 1}}}, {"B", {{"B", 1}}}}));
  EXPECT_EQ(document["confusion"]["B-A"], (Json{{"B-B", 1}, {"O", 1}}));
}

TEST(Confusion, WithoutChunksHasLabelsAlone) {
  Evaluation evaluation = evaluation_with_confusions();
  evaluation.add(Labels{"x", "y"}, Labels{"x", "x"});
  const EvaluationSummary summary = evaluation.summary();
  EXPECT_EQ(format_table(summary).find("chunks"), std::string::npos);
  EXPECT_FALSE(to_json(summary).contains("chunk_confusion"));
}

TEST(ConfusionPlot, EachCellSaysWhatItCountsAndNamesAreEscaped) {
  Evaluation evaluation = evaluation_with_confusions();
  evaluation.add(Labels{"<x>", "<x>", "y"}, Labels{"<x>", "y", "y"});
  const std::string svg = confusion_svg(evaluation.summary(), "a & b");
  EXPECT_NE(svg.find("<title>Confusion: a &amp; b</title>"), svg.npos);
  EXPECT_NE(svg.find("<title>&lt;x&gt; as y: 1 of 2, 50.0 %</title>"), svg.npos);
  EXPECT_NE(svg.find("<title>y as y: 1 of 1, 100.0 %</title>"), svg.npos);
  EXPECT_EQ(count_of("<title>", svg), 1 + 4);
  EXPECT_EQ(svg.find("<x>"), svg.npos);
  EXPECT_EQ(svg.find("Chunks"), svg.npos);
}

TEST(ConfusionPlot, TheRarestOfTooManyLabelsAreOneTogether) {
  Evaluation evaluation = evaluation_with_confusions();
  std::vector<std::string> names;
  for (int k = 0; k < 80; ++k) names.push_back("label" + std::to_string(100 + k));
  for (int k = 0; k < 80; ++k) {
    for (int times = 0; times < (k < 59 ? 2 : 1); ++times) {
      evaluation.add(Labels{names[static_cast<std::size_t>(k)]},
                     Labels{names[static_cast<std::size_t>(k)]});
    }
  }
  const std::string svg = confusion_svg(evaluation.summary(), "t");
  EXPECT_NE(svg.find("(21 others) as (21 others): 21 of 21"), svg.npos);
  EXPECT_EQ(count_of("<title>", svg), 1 + 60 * 60);
}

}  // namespace
}  // namespace croft::confusion_plot_test

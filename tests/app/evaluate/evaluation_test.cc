#include "app/evaluate/evaluation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/json.h"
#include "croft/core/error.h"

namespace croft::evaluation_test {
namespace {

using Labels = std::vector<std::string_view>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Labels views(const std::vector<std::string>& labels) { return {labels.begin(), labels.end()}; }

EvaluationSummary evaluate(const Labels& gold, const Labels& predicted,
                           ChunkScheme scheme = ChunkScheme::automatic) {
  Evaluation evaluation(scheme);
  evaluation.add(gold, predicted);
  return evaluation.summary();
}

void expect_counts(const Counts& counts, std::size_t correct, std::size_t predicted,
                   std::size_t gold) {
  EXPECT_EQ(counts.correct, correct);
  EXPECT_EQ(counts.predicted, predicted);
  EXPECT_EQ(counts.gold, gold);
}

TEST(Evaluation, CountsTokensSequencesAndLabels) {
  Evaluation evaluation;
  evaluation.add(Labels{"a", "b", "a"}, Labels{"a", "a", "a"});
  evaluation.add(Labels{"b", "a"}, Labels{"b", "a"});
  evaluation.add(Labels{}, Labels{});
  const EvaluationSummary s = evaluation.summary();
  EXPECT_EQ(s.tokens, 5u);
  EXPECT_EQ(s.correct_tokens, 4u);
  EXPECT_EQ(s.sequences, 2u);
  EXPECT_EQ(s.correct_sequences, 1u);
  EXPECT_DOUBLE_EQ(s.token_accuracy(), 0.8);
  EXPECT_DOUBLE_EQ(s.sequence_accuracy(), 0.5);
  ASSERT_EQ(s.labels.size(), 2u);
  EXPECT_EQ(s.labels[0].name, "a");
  expect_counts(s.labels[0].counts, 3, 4, 3);
  expect_counts(s.labels[1].counts, 1, 1, 2);
  EXPECT_DOUBLE_EQ(s.labels[0].counts.precision(), 0.75);
  EXPECT_DOUBLE_EQ(s.labels[0].counts.f1(), 6.0 / 7);
  EXPECT_DOUBLE_EQ(s.labels[1].counts.recall(), 0.5);
  EXPECT_FALSE(s.chunk);
  EXPECT_FALSE(s.log_loss);
  EXPECT_FALSE(s.calibration);
}

TEST(Evaluation, MacroIsTheMeanOverLabelsAndMicroIsTheAccuracy) {
  // a: P 1/2, R 1, F1 2/3.  b: P 1, R 1/2, F1 2/3.  c: never predicted, 0.  d: never gold, 0.
  const auto s = evaluate({"a", "b", "b", "c"}, {"a", "b", "a", "d"});
  EXPECT_DOUBLE_EQ(s.macro.precision, 1.5 / 4);
  EXPECT_DOUBLE_EQ(s.macro.recall, 1.5 / 4);
  EXPECT_DOUBLE_EQ(s.macro.f1, (2.0 / 3 + 2.0 / 3) / 4);
  expect_counts(s.micro, 2, 4, 4);
  EXPECT_DOUBLE_EQ(s.micro.f1(), s.token_accuracy());
}

TEST(Evaluation, WithoutInputEveryNumberIsZero) {
  for (ChunkScheme scheme : {ChunkScheme::automatic, ChunkScheme::bio}) {
    const EvaluationSummary s = Evaluation(scheme).summary();
    EXPECT_EQ(s.token_accuracy(), 0);
    EXPECT_EQ(s.sequence_accuracy(), 0);
    EXPECT_EQ(s.macro.f1, 0);
    EXPECT_EQ(s.micro.f1(), 0);
    EXPECT_EQ(s.chunk.has_value(), scheme == ChunkScheme::bio);
    EXPECT_EQ(format_table(s).find("nan"), std::string::npos);
    EXPECT_EQ(to_json(s)["tokens"]["accuracy"], 0);
  }
}

TEST(Evaluation, DifferentLengthsAreAnErrorAndChangeNothing) {
  Evaluation evaluation;
  evaluation.add(Labels{"a"}, Labels{"a"});
  try {
    evaluation.add(Labels{"a", "b"}, Labels{"b"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "sequence 2 has 2 gold labels and 1 predicted ones; both need one for each position");
  }
  EXPECT_EQ(evaluation.summary().tokens, 1u);
  EXPECT_EQ(evaluation.summary().labels.size(), 1u);
}

TEST(Evaluation, AChunkIsCorrectWithBothEndsAndItsType) {
  const Labels gold = {"B-NP", "I-NP", "O", "B-VP", "B-NP", "I-NP", "I-NP", "B-PP"};
  const Labels predicted = {"B-NP", "I-NP", "O", "B-NP", "B-NP", "I-NP", "O", "B-PP"};
  const auto s = evaluate(gold, predicted);
  ASSERT_TRUE(s.chunk);
  EXPECT_EQ(s.chunk->scheme, ChunkScheme::bio);
  expect_counts(s.chunk->all, 2, 4, 4);
  EXPECT_EQ(s.chunk->correct_tokens, 6u);
  ASSERT_EQ(s.chunk->types.size(), 3u);
  EXPECT_EQ(s.chunk->types[0].name, "NP");
  expect_counts(s.chunk->types[0].counts, 1, 3, 2);
  EXPECT_EQ(s.chunk->types[1].name, "PP");
  expect_counts(s.chunk->types[1].counts, 1, 1, 1);
  EXPECT_EQ(s.chunk->types[2].name, "VP");
  expect_counts(s.chunk->types[2].counts, 0, 0, 1);
}

TEST(Evaluation, ALongerPredictedChunkIsNotCorrectEvenAtTheEndOfASequence) {
  expect_counts(evaluate({"O", "B-A", "O"}, {"O", "B-A", "I-A"}).chunk->all, 0, 1, 1);
  expect_counts(evaluate({"B-A", "I-A"}, {"B-A", "B-A"}).chunk->all, 0, 2, 1);
}

TEST(Evaluation, ASequenceEndsItsChunks) {
  Evaluation evaluation;
  evaluation.add(Labels{"O", "I-A"}, Labels{"O", "I-A"});
  evaluation.add(Labels{"I-A", "O"}, Labels{"I-A", "I-A"});
  expect_counts(evaluation.summary().chunk->all, 1, 2, 2);
}

// No scheme writes these; the numbers are what conlleval's rules give.
TEST(Evaluation, TagsOfNoSchemeAreCountedByTheSameRules) {
  // Nothing ends the bare B: the change of type after the full stop takes the agreement away.
  expect_counts(
      evaluate({"B", ".", "X-A", "O"}, {"B", ".", "X-B", "O"}, ChunkScheme::bio).chunk->all, 0, 2,
      2);
  // Nor here, up to the end of all sequences.
  expect_counts(evaluate({"B", "__"}, {"B", "__"}, ChunkScheme::bio).chunk->all, 1, 1, 1);
  // A bracket starts a chunk inside one that nothing has ended: two starts, one end.
  expect_counts(evaluate({"S-A", "[-A", "S-A"}, {"S-A", "[-A", "S-A"}, ChunkScheme::bio).chunk->all,
                1, 2, 2);
}

TEST(Evaluation, RawCountsEveryTokenButO) {
  const auto s = evaluate({"x", "x", "O", "y"}, {"x", "y", "x", "y"}, ChunkScheme::raw);
  expect_counts(s.chunk->all, 2, 4, 3);
  expect_counts(s.chunk->types[0].counts, 1, 2, 2);
}

TEST(Evaluation, BioesCountsAsBioWhileTokensAreComparedAsTheyAre) {
  // As BIO both sides are B-A, I-A, B-A.
  const auto s = evaluate({"B-A", "E-A", "S-A"}, {"B-A", "I-A", "B-A"});
  EXPECT_EQ(s.chunk->scheme, ChunkScheme::bioes);
  expect_counts(s.chunk->all, 2, 2, 2);
  EXPECT_EQ(s.chunk->correct_tokens, 3u);
  EXPECT_EQ(s.correct_tokens, 1u);
}

TEST(Evaluation, TheSchemeFollowsFromAllLabelsOfBothSides) {
  Evaluation evaluation;
  evaluation.add(Labels{"B-A"}, Labels{"B-A"});
  EXPECT_EQ(evaluation.summary().chunk->scheme, ChunkScheme::bio);
  evaluation.add(Labels{"B-A"}, Labels{"S-A"});
  EXPECT_EQ(evaluation.summary().chunk->scheme, ChunkScheme::bioes);
  evaluation.add(Labels{"O"}, Labels{"NN"});
  EXPECT_FALSE(evaluation.summary().chunk);
}

TEST(Evaluation, LogLossIsTheMeanOverTokens) {
  Evaluation evaluation;
  evaluation.add_log_loss(1.5, 3);
  evaluation.add_log_loss(0.5, 1);
  const auto loss = evaluation.summary().log_loss;
  ASSERT_TRUE(loss);
  EXPECT_DOUBLE_EQ(loss->total, 2);
  EXPECT_DOUBLE_EQ(loss->per_token(), 0.5);
  EXPECT_DOUBLE_EQ(to_json(evaluation.summary())["log_loss"].get<double>(), 0.5);
}

TEST(Evaluation, AForbiddenGoldLabellingMakesTheLogLossInfiniteAndIsCounted) {
  Evaluation evaluation;
  evaluation.add_log_loss(kInfinity, 3, {"Q", "R"});
  evaluation.add_log_loss(1, 1);
  const EvaluationSummary s = evaluation.summary();
  EXPECT_EQ(s.log_loss->total, kInfinity);
  EXPECT_EQ(s.log_loss->impossible, 1u);
  EXPECT_TRUE(to_json(s)["log_loss"].is_null());
  EXPECT_EQ(to_json(s)["impossible_sequences"], 1);
  EXPECT_EQ(to_json(s)["impossible_labels"]["R"], 1);
  EXPECT_NE(
      format_table(s).find("1   sequences with gold labels of probability 0: \"Q\" (1), \"R\" (1)"),
      std::string::npos);
  EXPECT_THROW(evaluation.add_log_loss(std::nan(""), 1), Error);
  EXPECT_THROW(evaluation.add_log_loss(-kInfinity, 1), Error);
}

TEST(Evaluation, CalibrationComparesAccuracyWithProbabilityInEachBin) {
  Evaluation evaluation;
  evaluation.add_probability(0.92, true);
  evaluation.add_probability(0.98, false);  // last bin: accuracy 0.5, mean 0.95
  evaluation.add_probability(0.5, true);    // bins include their lower bound: accuracy 1, mean 0.5
  evaluation.add_probability(0, false);     // accuracy 0, mean 0
  const auto calibration = evaluation.summary().calibration;
  ASSERT_TRUE(calibration);
  EXPECT_EQ(calibration->count, 4u);
  ASSERT_EQ(calibration->bins.size(), Evaluation::kCalibrationBins);
  EXPECT_EQ(calibration->bins[9].count, 2u);
  EXPECT_DOUBLE_EQ(calibration->bins[9].accuracy(), 0.5);
  EXPECT_DOUBLE_EQ(calibration->bins[9].mean_probability, 0.95);
  EXPECT_EQ(calibration->bins[5].count, 1u);
  EXPECT_DOUBLE_EQ(calibration->bins[5].lower, 0.5);
  EXPECT_EQ(calibration->bins[0].count, 1u);
  EXPECT_NEAR(calibration->expected_error, (2 * 0.45 + 0.5 + 0) / 4, 1e-15);
}

TEST(Evaluation, OneBelongsToTheLastBinAndNonProbabilitiesAreErrors) {
  Evaluation evaluation;
  evaluation.add_probability(1, true);
  evaluation.add_probability(1 + 1e-6, true);
  EXPECT_EQ(evaluation.summary().calibration->bins.back().count, 2u);
  EXPECT_EQ(evaluation.summary().calibration->expected_error, 0);
  EXPECT_THROW(evaluation.add_probability(1.01, true), Error);
  EXPECT_THROW(evaluation.add_probability(-0.01, true), Error);
  EXPECT_THROW(evaluation.add_probability(std::nan(""), true), Error);
}

TEST(Evaluation, WhatHasNoLabellingIsWrongButPredictsNothing) {
  Evaluation evaluation;
  evaluation.add(Labels{"B-x", "O"}, Labels{"B-x", "O"});
  evaluation.add_unlabelled(Labels{"B-x", "O"});
  const EvaluationSummary s = evaluation.summary();
  EXPECT_EQ(s.tokens, 4u);
  EXPECT_EQ(s.correct_tokens, 2u);
  EXPECT_EQ(s.sequences, 2u);
  EXPECT_EQ(s.correct_sequences, 1u);
  EXPECT_EQ(s.unlabelled, 1u);
  EXPECT_EQ(s.micro.predicted, 2u);
  EXPECT_EQ(s.micro.gold, 4u);
  EXPECT_EQ(s.micro.precision(), 1);
  EXPECT_EQ(s.micro.recall(), 0.5);
  EXPECT_EQ(s.chunk->all.gold, 2u);
  EXPECT_EQ(s.chunk->all.predicted, 1u);
  EXPECT_EQ(s.chunk->all.correct, 1u);
  EXPECT_EQ(s.chunk->correct_tokens, 2u);
  EXPECT_EQ(to_json(s)["unlabelled_sequences"], 1);
  EXPECT_NE(format_table(s).find("1   sequences without a labelling"), std::string::npos);
}

TEST(Evaluation, PerplexityIsTheExponentialOfTheLogLossPerToken) {
  Evaluation evaluation;
  evaluation.add_log_loss(3 * std::log(4.0), 3);
  EXPECT_NEAR(evaluation.summary().log_loss->perplexity(), 4, 1e-14);
  EXPECT_NEAR(to_json(evaluation.summary())["perplexity"].get<double>(), 4, 1e-14);
  evaluation.add_log_loss(std::numeric_limits<double>::infinity(), 1);
  EXPECT_TRUE(to_json(evaluation.summary())["perplexity"].is_null());
}

TEST(Evaluation, BrierIsAMean) {
  Evaluation evaluation;
  EXPECT_FALSE(evaluation.summary().brier);
  evaluation.add_brier(0.5);
  evaluation.add_brier(1);
  EXPECT_EQ(*evaluation.summary().brier, 0.75);
}

TEST(EvaluationReport, TableShowsPercentagesWithTwoDecimals) {
  Evaluation evaluation;
  evaluation.add(Labels{"B-é", "I-é", "O"}, Labels{"B-é", "I-é", "B-x"});
  evaluation.add_log_loss(1.5, 3);
  evaluation.add_probability(0.75, true);
  EXPECT_EQ(format_table(evaluation.summary()),
            R"(tokens             3   accuracy  66.67 %   2 correct
sequences          1   accuracy   0.00 %   0 correct
log-loss    0.500000   nats a token; 1.500000 in all
perplexity   1.64872   exp of the log-loss

chunk (bio)   precision    recall        F1   correct predicted      gold
all chunks        50.00    100.00     66.67         1         2         1
x                  0.00      0.00      0.00         0         1         0
é                100.00    100.00    100.00         1         1         1

label         precision    recall        F1   correct predicted      gold
B-x                0.00      0.00      0.00         0         1         0
B-é              100.00    100.00    100.00         1         1         1
I-é              100.00    100.00    100.00         1         1         1
O                  0.00      0.00      0.00         0         0         1
macro average     50.00     50.00     50.00
micro average     66.67     66.67     66.67         2         3         3

expected calibration error 25.00 %
probability    accuracy mean predicted     count
70 to 80 %       100.00          75.00         1
)");
}

TEST(EvaluationReport, SequencesOfOneTokenAreCalledWhatTheyAre) {
  Evaluation evaluation;
  evaluation.add(Labels{"A"}, Labels{"A"});
  evaluation.add(Labels{"A"}, Labels{"B"});
  evaluation.add_log_loss(0.5, 1);
  const std::string table = format_table(evaluation.summary(), "documents");
  EXPECT_TRUE(table.starts_with("documents          2   accuracy  50.00 %   1 correct\nlog-loss"))
      << table;
  EXPECT_NE(table.find("nats a document;"), std::string::npos);
  EXPECT_NE(format_table(evaluation.summary()).find("tokens"), std::string::npos);
  evaluation.add(Labels{"A", "B"}, Labels{"A", "B"});  // not all have one token
  EXPECT_NE(format_table(evaluation.summary(), "documents").find("tokens"), std::string::npos);
  EXPECT_TRUE(to_json(evaluation.summary()).contains("tokens"));
}

// 100 * 23 / 160 is 14.375 and rounds to even, 14.38; 23 / 160 is a bit less, and times 100 14.37.
TEST(EvaluationReport, PercentagesRoundAsConllevalRoundsThem) {
  const std::vector<std::string_view> gold(160, "x");
  std::vector<std::string_view> predicted(160, "y");
  std::fill_n(predicted.begin(), 23, "x");
  EXPECT_NE(format_table(evaluate(gold, predicted)).find("accuracy  14.38 %"), std::string::npos);
}

TEST(EvaluationReport, JsonHasFractionsUnderTheAgreedNames) {
  const auto document = to_json(evaluate({"B-A", "O", "B-A", "O"}, {"B-A", "O", "O", "O"}));
  EXPECT_EQ(document["tokens"]["count"], 4);
  EXPECT_EQ(document["tokens"]["accuracy"], 0.75);
  EXPECT_EQ(document["sequences"]["accuracy"], 0.0);
  EXPECT_EQ(document["chunk"]["scheme"], "bio");
  EXPECT_EQ(document["chunk"]["precision"], 1.0);
  EXPECT_EQ(document["chunk"]["recall"], 0.5);
  EXPECT_DOUBLE_EQ(document["chunk"]["f1"].get<double>(), 2.0 / 3);
  EXPECT_EQ(document["chunk"]["types"]["A"]["support"], 2);
  EXPECT_EQ(document["labels"]["B-A"]["recall"], 0.5);
  EXPECT_EQ(document["labels"]["O"]["support"], 2);
  EXPECT_EQ(document["micro"]["f1"], 0.75);
  EXPECT_TRUE(document["log_loss"].is_null());
  EXPECT_FALSE(document.contains("calibration"));
  EXPECT_FALSE(to_json(evaluate({"NN"}, {"NN"})).contains("chunk"));
}

// ---- properties on random labels, of valid and of invalid sequences alike

rc::Gen<std::vector<std::string>> any_labels(std::size_t length) {
  return rc::gen::container<std::vector<std::string>>(
      length, rc::gen::element<std::string>("O", "B-A", "I-A", "E-A", "B-B", "I-B", "E-B", "B"));
}

struct Pair {
  std::vector<std::string> gold, predicted;
};

Pair any_pair() {
  const auto length = *rc::gen::inRange<std::size_t>(1, 30);
  Pair pair{*any_labels(length), {}};
  pair.predicted = *any_labels(length);
  const auto keep = *rc::gen::container<std::vector<bool>>(length, rc::gen::arbitrary<bool>());
  for (std::size_t t = 0; t < length; ++t) {
    if (keep[t]) pair.predicted[t] = pair.gold[t];
  }
  return pair;
}

RC_GTEST_PROP(EvaluationProperty, EqualLabelsScoreOne, ()) {
  const Pair pair = any_pair();
  for (ChunkScheme scheme : {ChunkScheme::bio, ChunkScheme::bioes, ChunkScheme::raw}) {
    const auto s = evaluate(views(pair.gold), views(pair.gold), scheme);
    RC_ASSERT(s.token_accuracy() == 1.0);
    RC_ASSERT(s.macro.f1 == 1.0);
    RC_ASSERT(s.chunk->all.f1() == (s.chunk->all.gold > 0 ? 1.0 : 0.0));
  }
}

RC_GTEST_PROP(EvaluationProperty, SwappedSidesSwapPrecisionAndRecall, ()) {
  const Pair pair = any_pair();
  for (ChunkScheme scheme : {ChunkScheme::bio, ChunkScheme::bioes, ChunkScheme::raw}) {
    const auto a = evaluate(views(pair.gold), views(pair.predicted), scheme);
    const auto b = evaluate(views(pair.predicted), views(pair.gold), scheme);
    RC_ASSERT(a.chunk->all.precision() == b.chunk->all.recall());
    RC_ASSERT(a.chunk->all.recall() == b.chunk->all.precision());
    RC_ASSERT(a.chunk->all.f1() == b.chunk->all.f1());
    RC_ASSERT(a.macro.precision == b.macro.recall);
  }
}

// The walk over both sides at once, and the two lists of chunks compared: equal for B, I, E and O.
RC_GTEST_PROP(EvaluationProperty, CorrectChunksAreThoseInBothLists, ()) {
  const Pair pair = any_pair();
  for (ChunkScheme scheme : {ChunkScheme::bio, ChunkScheme::bioes, ChunkScheme::raw}) {
    const auto gold_labels = views(pair.gold), predicted_labels = views(pair.predicted);
    const auto gold = chunks_of(gold_labels, scheme);
    const auto predicted = chunks_of(predicted_labels, scheme);
    const auto correct = static_cast<std::size_t>(std::ranges::count_if(
        gold, [&](const Chunk& chunk) { return std::ranges::count(predicted, chunk) > 0; }));
    const Counts counts = evaluate(gold_labels, predicted_labels, scheme).chunk->all;
    RC_ASSERT(counts.correct == correct);
    RC_ASSERT(counts.gold == gold.size());
    RC_ASSERT(counts.predicted == predicted.size());
  }
}

// ---- the CoNLL-2000 test set, with the numbers of conlleval (version of 2004-01-26)

using Sentences = std::vector<std::vector<std::string>>;

// The label column, or nothing where the file is absent.
Sentences conll2000_labels() {
  const char* folder = std::getenv("CROFT_DATA");
  const std::filesystem::path data = folder ? folder : CROFT_SOURCE_DIR "/../shared/data";
  std::ifstream file(data / "conll2000" / "test.txt");
  Sentences sentences(1);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) {
      sentences.back().push_back(line.substr(line.rfind(' ') + 1));
    } else if (!sentences.back().empty()) {
      sentences.emplace_back();
    }
  }
  if (sentences.back().empty()) sentences.pop_back();
  return sentences;
}

// Labels with errors: every 7th token takes the gold label before it, every 31st other one is O.
std::vector<std::string> with_errors(const std::vector<std::string>& gold, std::size_t& token) {
  std::vector<std::string> labels = gold;
  for (std::size_t t = 0; t < gold.size(); ++t) {
    ++token;
    if (t > 0 && token % 7 == 0) {
      labels[t] = gold[t - 1];
    } else if (token % 31 == 0) {
      labels[t] = "O";
    }
  }
  return labels;
}

struct ConllevalSays {
  ChunkScheme scheme;
  std::size_t correct, predicted, gold;
  const char *overall, *accuracy;  // as they stand in the table
};

class Conll2000 : public testing::TestWithParam<ConllevalSays> {};

TEST_P(Conll2000, CountsAndPercentagesAreThoseOfConlleval) {
  const Sentences sentences = conll2000_labels();
  if (sentences.empty()) GTEST_SKIP() << "no conll2000/test.txt in the folder of CROFT_DATA";
  const ConllevalSays& expected = GetParam();
  const bool raw = expected.scheme == ChunkScheme::raw;
  Evaluation evaluation(raw ? ChunkScheme::raw : ChunkScheme::automatic);
  std::size_t token = 0;
  for (const auto& sentence : sentences) {
    const auto gold =
        raw ? sentence : convert_labels(views(sentence), ChunkScheme::bio, expected.scheme);
    evaluation.add(views(gold), views(with_errors(gold, token)));
  }
  const EvaluationSummary s = evaluation.summary();
  EXPECT_EQ(s.tokens, 47377u);
  EXPECT_EQ(s.sequences, 2012u);
  expect_counts(s.chunk->all, expected.correct, expected.predicted, expected.gold);
  const std::string table = format_table(s);
  EXPECT_NE(table.find(expected.overall), std::string::npos) << table;
  EXPECT_NE(table.find(expected.accuracy), std::string::npos) << table;
}

INSTANTIATE_TEST_SUITE_P(
    Schemes, Conll2000,
    testing::Values(ConllevalSays{ChunkScheme::bio, 16870, 25190, 23852,
                                  "66.97     70.73     68.80", "accuracy  86.22 %"},
                    ConllevalSays{ChunkScheme::bio1, 15549, 21165, 23852,
                                  "73.47     65.19     69.08", "accuracy  89.09 %"},
                    ConllevalSays{ChunkScheme::ioe, 19485, 25155, 23852,
                                  "77.46     81.69     79.52", "accuracy  86.20 %"},
                    ConllevalSays{ChunkScheme::bioes, 16870, 25190, 23852,
                                  "66.97     70.73     68.80", "accuracy  86.22 %"},
                    ConllevalSays{ChunkScheme::raw, 35396, 40253, 41197,
                                  "87.93     85.92     86.91", "accuracy  86.22 %"}));

}  // namespace
}  // namespace croft::evaluation_test

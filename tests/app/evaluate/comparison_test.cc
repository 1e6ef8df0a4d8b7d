#include "app/evaluate/comparison.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "app/evaluate/evaluation.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft::comparison_test {
namespace {

using Labels = std::vector<std::string_view>;
struct Data {
  std::vector<Labels> gold, first, second;
};

// The second labeller is right more often than the first.
Data some_data(std::size_t sequences, std::uint64_t seed) {
  const Labels names = {"O", "B-A", "I-A", "B-B", "I-B"};
  Random random(seed);
  const auto draw = [&] { return names[random.below(names.size())]; };
  Data data;
  for (std::size_t n = 0; n < sequences; ++n) {
    Labels gold, first, second;
    for (std::size_t t = 1 + random.below(6); t > 0; --t) {
      gold.push_back(draw());
      first.push_back(random.uniform() < 0.6 ? gold.back() : draw());
      second.push_back(random.uniform() < 0.8 ? gold.back() : draw());
    }
    data.gold.push_back(gold);
    data.first.push_back(first);
    data.second.push_back(second);
  }
  return data;
}

ComparisonSummary compare(const Data& data, const ComparisonOptions& options) {
  Comparison comparison(options);
  for (std::size_t n = 0; n < data.gold.size(); ++n) {
    comparison.add(data.gold[n], data.first[n], data.second[n]);
  }
  return comparison.summary();
}

EvaluationSummary evaluate(const std::vector<Labels>& gold, const std::vector<Labels>& labels) {
  Evaluation evaluation;
  for (std::size_t n = 0; n < gold.size(); ++n) evaluation.add(gold[n], labels[n]);
  return evaluation.summary();
}

TEST(Comparison, MetricsAreThoseOfEvaluate) {
  const Data data = some_data(40, 1);
  const ComparisonSummary found = compare(data, {.draws = 10});
  const EvaluationSummary first = evaluate(data.gold, data.first),
                          second = evaluate(data.gold, data.second);
  ASSERT_EQ(found.metrics.size(), 5);
  EXPECT_EQ(found.metrics[0].first, first.token_accuracy());
  EXPECT_EQ(found.metrics[1].second, second.sequence_accuracy());
  EXPECT_EQ(found.metrics[2].first, first.chunk->all.precision());
  EXPECT_EQ(found.metrics[3].second, second.chunk->all.recall());
  EXPECT_DOUBLE_EQ(found.metrics[4].first, first.chunk->all.f1());
  EXPECT_DOUBLE_EQ(found.metrics[4].second, second.chunk->all.f1());
  EXPECT_EQ(found.positions, first.tokens);
}

// The share of all ways to deal the answers of each sequence out whose difference is as large.
double exact_p(const Data& data, std::size_t metric) {
  const std::size_t sequences = data.gold.size();
  const ComparisonSummary seen = compare(data, {.draws = 1});
  std::size_t as_large = 0;
  for (std::size_t lot = 0; lot < std::size_t{1} << sequences; ++lot) {
    Data dealt = data;
    for (std::size_t n = 0; n < sequences; ++n) {
      if ((lot >> n & 1) != 0) std::swap(dealt.first[n], dealt.second[n]);
    }
    const double difference = compare(dealt, {.draws = 1}).metrics[metric].difference();
    as_large += std::abs(difference) >= std::abs(seen.metrics[metric].difference()) - 1e-12;
  }
  return static_cast<double>(as_large) / static_cast<double>(std::size_t{1} << sequences);
}

TEST(Comparison, PIsTheShareOfAllWaysToDealTheAnswers) {
  for (const std::uint64_t seed : {2, 3}) {
    const Data data = some_data(8, seed);
    const ComparisonSummary found = compare(data, {.draws = 20'000});
    for (const std::size_t metric : {0, 1, 4}) {
      const double exact = exact_p(data, metric);
      const double error = 4 * std::sqrt(exact * (1 - exact) / 20'000) + 1e-4;
      EXPECT_NEAR(found.metrics[metric].p, exact, error) << metric;
    }
  }
}

// Of the mean of independent numbers the interval is about that of a normal distribution.
TEST(Comparison, TheIntervalOfManySequencesIsThatOfANormalDistribution) {
  Data data;
  Random random(5);
  const std::size_t sequences = 2000;
  double sum = 0, squares = 0;
  for (std::size_t n = 0; n < sequences; ++n) {
    const bool first = random.uniform() < 0.6, second = random.uniform() < 0.7;
    data.gold.push_back({"a"});
    data.first.push_back({first ? "a" : "b"});
    data.second.push_back({second ? "a" : "b"});
    const double difference = static_cast<double>(second) - static_cast<double>(first);
    sum += difference;
    squares += difference * difference;
  }
  const double mean = sum / sequences;
  const double error = std::sqrt((squares / sequences - mean * mean) / sequences);
  const ComparisonSummary found = compare(data, {});
  ASSERT_EQ(found.metrics.size(), 2);  // these are no chunks
  EXPECT_NEAR(found.metrics[0].low, mean - 1.96 * error, 0.1 * error);
  EXPECT_NEAR(found.metrics[0].high, mean + 1.96 * error, 0.1 * error);
  EXPECT_EQ(found.metrics[0].p, 1.0 / 10'001);
}

TEST(Comparison, EqualLabellersDoNotDiffer) {
  Data data = some_data(20, 6);
  data.second = data.first;
  const ComparisonSummary found = compare(data, {.draws = 100});
  for (const ComparedMetric& each : found.metrics) {
    EXPECT_EQ(each.difference(), 0);
    EXPECT_EQ(each.low, 0);
    EXPECT_EQ(each.high, 0);
    EXPECT_EQ(each.p, 1);
  }
  EXPECT_EQ(found.differing, 0);
  EXPECT_TRUE(found.most.empty());
}

TEST(Comparison, SequencesThatDifferMostComeFirstAndAreCounted) {
  Comparison comparison({.draws = 1, .shown = 2});
  const Labels gold = {"a", "a", "a"}, right = gold, one = {"a", "b", "a"}, all = {"b", "b", "c"};
  comparison.add({}, {}, {});
  comparison.add(gold, right, one);
  comparison.add(gold, all, right);
  comparison.add(gold, one, Labels{"a", "c", "a"});
  const ComparisonSummary found = comparison.summary();
  EXPECT_EQ(found.sequences, 3);
  EXPECT_EQ(found.differing, 5);
  EXPECT_EQ(found.first_only, 1);
  EXPECT_EQ(found.second_only, 3);
  ASSERT_EQ(found.most.size(), 2);
  EXPECT_EQ(found.most[0].number, 2);
  EXPECT_EQ(found.most[0].differing, 3);
  EXPECT_EQ(found.most[1].number, 1);
}

TEST(Comparison, TheSeedDecidesWhatIsDrawn) {
  const Data data = some_data(30, 7);
  const Json one = to_json(compare(data, {.draws = 50, .seed = 3}));
  EXPECT_EQ(to_json(compare(data, {.draws = 50, .seed = 3})), one);
  EXPECT_NE(to_json(compare(data, {.draws = 50, .seed = 4})), one);
}

TEST(Comparison, WhatMakesNoSenseIsAnError) {
  EXPECT_THROW(Comparison({.draws = 0}), UsageError);
  EXPECT_THROW(Comparison({.confidence = 1}), UsageError);
  Comparison comparison({});
  EXPECT_THROW(comparison.summary(), Error);
  EXPECT_THROW(comparison.add(Labels{"a"}, Labels{"a"}, Labels{}), Error);
}

}  // namespace
}  // namespace croft::comparison_test

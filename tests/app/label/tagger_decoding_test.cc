// Decoding that is not plain Viterbi: by marginals, by risk, and under rules that have to be
// searched.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/label/tag_files.h"
#include "app/label/tagger.h"
#include "support/enumeration.h"
#include "support/small_model.h"

namespace croft::tagger_decoding_test {
namespace {

using testing_support::count_of_chunks;
using testing_support::Enumeration;
using testing_support::kBio;
using testing_support::Labelling;
using testing_support::obeys_bio;
using testing_support::random_model;
using testing_support::random_text;
using testing_support::SmallModel;

constexpr double kTolerance = 1e-10;

TEST(TaggerDecoding, DecodesByMarginalsAndByRiskAsAnEnumerationDoes) {
  Random random(3);
  const SmallModel how{.labels = kBio};
  std::size_t different = 0;
  for (int round = 0; round < 20; ++round) {
    const ChainModel model = random_model(how, random);
    const TextSequence text = random_text(how, 5, random);
    const Enumeration free(model, text, [](const Labelling&) { return true; });
    // The expected number of positions that a labelling gets right.
    const auto right_by = [&](const Enumeration& all) {
      std::vector<std::vector<double>> mu(text.length(), std::vector<double>(kBio.size()));
      for (const auto& [y, score, p] : all.entries) {
        for (std::size_t t = 0; t < y.size(); ++t) mu[t][y[t]] += p;
      }
      return [mu](const Labelling& y) {
        double sum = 0;
        for (std::size_t t = 0; t < y.size(); ++t) sum += mu[t][y[t]];
        return sum;
      };
    };
    TagRequest marginal;
    marginal.decode = Decode::marginal;
    const TagPlan marginal_plan(model, marginal);
    Tagger tagger(marginal_plan);
    const Tagging& tagging = tagger.tag(text, {.probability = true});
    EXPECT_NEAR(std::exp(tagging.log_probability), free.p(tagging.y), kTolerance);
    const auto right = right_by(free);
    const double most = right(tagging.y);
    for (const auto& entry : free.entries) EXPECT_LE(right(entry.y), most + kTolerance);
    different += tagging.y != free.entries[0].y;
    for (const std::vector<std::string>& rules :
         {std::vector<std::string>(), std::vector<std::string>{"exactly 2 *"}}) {
      TagRequest risk;
      risk.decode = Decode::risk;
      risk.constraint = choose_constraint("bio", kBio);
      risk.rules = rules;
      const TagPlan plan(model, risk);
      Tagger careful(plan);
      const Enumeration all(model, text, [&](const Labelling& y) {
        return obeys_bio(y) && (rules.empty() || count_of_chunks(y, plan.names()) == 2);
      });
      const Tagging& least =
          careful.tag(text, {.probability = true, .marginals = true, .entropy = true});
      EXPECT_GT(all.p(least.y), 0);
      EXPECT_NEAR(std::exp(least.log_probability), all.p(least.y), kTolerance);
      const auto allowed_right = right_by(all);
      for (const auto& entry : all.entries) {
        EXPECT_LE(allowed_right(entry.y), allowed_right(least.y) + kTolerance);
      }
      for (std::size_t t = 0; t < text.length(); ++t) {
        for (Label j = 0; j < kBio.size(); ++j) {
          EXPECT_NEAR(least.marginals(t, j), all.sum([&](const Labelling& y) { return y[t] == j; }),
                      kTolerance);
        }
      }
      EXPECT_NEAR(least.entropy, all.entropy(), kTolerance);
    }
  }
  EXPECT_GT(different, 0u);  // or the test shows nothing
}

TEST(TaggerDecoding, SearchesForTheBestLabellingThatAgrees) {
  Random random(8);
  SmallModel how{.labels = kBio};
  for (const std::vector<std::string>& rules :
       {std::vector<std::string>{"agree a"}, std::vector<std::string>{"agree a1", "at-most 2 *"}}) {
    for (int round = 0; round < 10; ++round) {
      how.order = round < 5 ? 1 : 2;
      const ChainModel model = random_model(how, random);
      const TextSequence text = random_text(how, 5, random);
      TagRequest request;
      request.rules = rules;
      const TagPlan plan(model, request);
      ASSERT_TRUE(plan.searches());
      const auto groups = agreeing_positions(
          std::vector<Agreement>{{InputFormat::attributes, 0, rules[0].substr(6)}}, {text});
      const auto counted = [&](const Labelling& y) {
        return rules.size() == 1 || count_of_chunks(y, plan.names()) <= 2;
      };
      const auto agree = [&](const Labelling& y) {
        return std::ranges::all_of(groups, [&](const auto& group) {
          return std::ranges::all_of(group, [&](std::size_t t) { return y[t] == y[group[0]]; });
        });
      };
      const Enumeration all(model, text,
                            [&](const Labelling& y) { return counted(y) && agree(y); });
      const Enumeration in_chain(model, text, counted);
      Tagger tagger(plan);
      const Tagging& tagging = tagger.tag(text, {.probability = true});
      ASSERT_TRUE(tagging.outcome.found && tagging.outcome.exact);
      EXPECT_EQ(tagging.outcome.gap, 0);
      EXPECT_NEAR(std::log(all.p(tagging.y)), std::log(all.entries[0].p), kTolerance);
      EXPECT_NEAR(std::exp(tagging.log_probability), in_chain.p(tagging.y), kTolerance);
    }
  }
}

TEST(TaggerDecoding, SaysHowFarASearchThatWasCutShortMayBeFromTheBest) {
  Random random(21);
  const SmallModel how{.labels = kBio, .attributes = 8, .scale = 1};
  std::size_t cut = 0;
  for (int round = 0; round < 30; ++round) {
    const ChainModel model = random_model(how, random);
    const TextSequence text = random_text(how, 12, random);
    TagRequest request;
    request.rules = {"agree a"};
    const TagPlan unlimited(model, request);
    request.limit = 3;
    const TagPlan limited(model, request);
    Tagger whole(unlimited), short_(limited);
    const double best = whole.tag(text, {.probability = true}).log_probability;
    const Tagging& tagging = short_.tag(text, {.probability = true});
    if (!tagging.outcome.found || tagging.outcome.exact) continue;
    ++cut;
    EXPECT_GT(tagging.outcome.gap, 0);
    EXPECT_LE(best, tagging.log_probability + tagging.outcome.gap + kTolerance);
  }
  EXPECT_GT(cut, 0u);
}

void expect_counts_to_be_searched(std::size_t order) {
  Random random(2);
  const SmallModel how{.labels = kBio, .order = order};
  const ChainModel model = random_model(how, random);
  const TextSequence text = random_text(how, 5, random);
  TagRequest request;
  request.rules = {"at-most 900000 X", "at-least 2 label O"};
  const TagPlan plan(model, request);
  ASSERT_TRUE(plan.searches());
  const Enumeration all(model, text,
                        [](const Labelling& y) { return std::ranges::count(y, 0u) >= 2; });
  Tagger tagger(plan);
  const Tagging& tagging = tagger.tag(text, {});
  ASSERT_TRUE(tagging.outcome.exact);
  EXPECT_NEAR(std::log(all.p(tagging.y)), std::log(all.entries[0].p), kTolerance);
  EXPECT_GT(tagging.outcome.drawn, 0u);
  request.rules[1] = "at-least 6 label O";  // of 5 positions
  request.limit = 3;
  const TagPlan hopeless(model, request);
  Tagger cut(hopeless);
  const TagOutcome& outcome = cut.tag(text, {}).outcome;
  EXPECT_FALSE(outcome.found);
  EXPECT_FALSE(outcome.exact);
  EXPECT_EQ(outcome.drawn, 3u);
}

TEST(TaggerDecoding, CountsTooLargeForAProductAreSearchedAmongTheBestLabellings) {
  for (const std::size_t order : {1, 2}) expect_counts_to_be_searched(order);
}

}  // namespace
}  // namespace croft::tagger_decoding_test

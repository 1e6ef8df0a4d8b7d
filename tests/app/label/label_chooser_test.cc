// Labels chosen by expected costs and by thresholds, alone and on a chain.
#include "app/label/label_chooser.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "app/label/tagger.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "support/enumeration.h"
#include "support/small_model.h"

namespace croft::label_chooser_test {
namespace {

using testing_support::Enumeration;
using testing_support::kBio;
using testing_support::Labelling;
using testing_support::random_model;
using testing_support::random_text;
using testing_support::SmallModel;

const std::vector<std::string> kLabels = {"a", "b", "c"};

ChoiceRequest by_thresholds(std::vector<std::string> thresholds) {
  ChoiceRequest out;
  out.thresholds = std::move(thresholds);
  return out;
}

ChoiceRequest by_costs(std::vector<CostRule> rules) {
  ChoiceRequest out;
  out.costs = CostFile{"costs", std::move(rules)};
  return out;
}

TEST(LabelChooser, ALabelWithAThresholdIsChosenWhereItsProbabilityReachesIt) {
  const LabelChooser chooser(by_thresholds({"b=0.2"}), kLabels);
  EXPECT_EQ(chooser.choose(std::vector{0.7, 0.2, 0.1}), 1u);
  EXPECT_EQ(chooser.choose(std::vector{0.7, 0.19, 0.11}), 0u);
}

TEST(LabelChooser, ALabelBelowItsThresholdLeavesTheChoiceToTheOthers) {
  const LabelChooser chooser(by_thresholds({"a=0.9"}), kLabels);
  EXPECT_EQ(chooser.choose(std::vector{0.8, 0.05, 0.15}), 2u);
}

TEST(LabelChooser, OfSeveralThresholdsTheOneThatIsPassedByTheLargestFactorDecides) {
  const LabelChooser chooser(by_thresholds({"a=0.5", "b=0.1"}), kLabels);
  EXPECT_EQ(chooser.choose(std::vector{0.7, 0.2, 0.1}), 1u);
  EXPECT_EQ(chooser.choose(std::vector{0.85, 0.11, 0.04}), 0u);
}

TEST(LabelChooser, WhereEveryLabelHasAThresholdAndNoneReachesItTheMostProbableIsChosen) {
  const LabelChooser chooser(by_thresholds({"a=0.9", "b=0.9", "c=0.9"}), kLabels);
  EXPECT_EQ(chooser.choose(std::vector{0.3, 0.4, 0.3}), 1u);
}

RC_GTEST_PROP(LabelChooser, NoLabelCostsLessThanTheChosenOneIsExpectedTo,
              (const std::array<std::uint8_t, 9>& costs, const std::array<std::uint8_t, 3>& mass)) {
  std::vector<CostRule> rules;
  for (std::size_t k = 0; k < 9; ++k) {
    rules.push_back({kLabels[k / 3], kLabels[k % 3], k % 4 == 0 ? 0.0 : costs[k], k + 1});
  }
  std::vector<double> p;
  const double total = mass[0] + mass[1] + mass[2] + 3;
  for (const std::uint8_t each : mass) p.push_back((each + 1) / total);
  const auto expected = [&](std::size_t predicted) {
    double sum = 0;
    for (std::size_t gold = 0; gold < 3; ++gold) sum += p[gold] * rules[3 * gold + predicted].cost;
    return sum;
  };
  const Label chosen = LabelChooser(by_costs(rules), kLabels).choose(p);
  for (std::size_t other = 0; other < 3; ++other) {
    RC_ASSERT(expected(chosen) <= expected(other) + 1e-12);
  }
}

TEST(LabelChooser, ATextThatIsNoThresholdIsAnErrorThatQuotesIt) {
  for (const char* text : {"a", "=0.5", "a=", "a=0", "a=1.01", "a=nan", "a=-0.5", "a=x"}) {
    try {
      const LabelChooser chooser(by_thresholds({text}), kLabels);
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos);
    }
  }
  EXPECT_THROW(LabelChooser(by_thresholds({"d=0.5"}), kLabels), UsageError);
  EXPECT_THROW(LabelChooser(by_thresholds({"a=0.5", "a=0.6"}), kLabels), UsageError);
}

TEST(LabelChooser, EachListTakesWhatIsSaidOfItsOwnLabels) {
  const std::vector<std::vector<std::string>> lists = {{"a", "b"}, {"yes", "no"}};
  const auto choosers = label_choosers(by_thresholds({"b=0.1", "no=0.3"}), lists);
  ASSERT_EQ(choosers.size(), 2u);
  EXPECT_EQ(choosers[0].choose(std::vector{0.85, 0.15}), 1u);
  EXPECT_EQ(choosers[1].choose(std::vector{0.85, 0.15}), 0u);
  EXPECT_THROW(label_choosers(by_thresholds({"d=0.5"}), lists), UsageError);
  EXPECT_THROW(label_choosers(by_costs({{"a", "no", 2, 1}}), lists), InputError);
}

TEST(LabelChooser, OnAChainItDecidesByTheMarginalsOfAnEnumeration) {
  Random random(5);
  const SmallModel how{.labels = kBio};
  std::size_t changed = 0;
  for (int round = 0; round < 20; ++round) {
    const ChainModel model = random_model(how, random);
    const TextSequence text = random_text(how, 5, random);
    const Enumeration all(model, text, [](const Labelling&) { return true; });
    TagRequest request;
    request.decision = by_thresholds({std::string(kBio[1]) + "=0.15"});
    const TagPlan plan(model, request);
    Tagger tagger(plan);
    const Tagging& tagging = tagger.tag(text, {});
    for (std::size_t t = 0; t < text.length(); ++t) {
      std::vector<double> p;
      for (Label j = 0; j < kBio.size(); ++j) {
        p.push_back(all.sum([&](const Labelling& y) { return y[t] == j; }));
      }
      std::size_t other = 0;  // the most probable of those without a threshold
      for (std::size_t j = 2; j < p.size(); ++j) other = p[j] > p[other] ? j : other;
      EXPECT_EQ(tagging.y[t], p[1] >= 0.15 ? 1 : other);
      changed += p[1] >= 0.15 && p[1] < p[other];
    }
  }
  EXPECT_GT(changed, 0u);  // or the test shows nothing
}

}  // namespace
}  // namespace croft::label_chooser_test

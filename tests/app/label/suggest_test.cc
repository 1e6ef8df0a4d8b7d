// How unsure a model is of each sequence, against an enumeration of all labellings.
#include "app/label/suggest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "croft/inference/brute_force.h"
#include "support/small_model.h"

namespace croft::suggest_test {
namespace {

using testing_support::random_model;
using testing_support::SmallModel;

constexpr std::size_t kSequences = 12;

// Lines of attributes: sequences of one to four positions.
std::string random_data(const SmallModel& how, Random& random) {
  std::string data;
  for (std::size_t n = 0; n < kSequences; ++n) {
    for (std::size_t t = 0; t <= n % 4; ++t) {
      data += "\ta" + std::to_string(random.below(how.attributes)) + "\n";
    }
    data += '\n';
  }
  return data;
}

// From the definitions: [sequences] of each.
struct Expected {
  std::vector<double> margin, entropy, errors;
};

Expected by_enumeration(const ChainModel& model, const std::string& data) {
  Expected out;
  SequenceSource source(LineReader(data, "data"), model.extractor(), Labels::optional);
  SequenceModel::Scratch scratch;
  for_each_sequence(source, [&](const InputSequence& input) {
    ChainScores<double> scores;
    model.score(input.text, scratch, scores);
    const BruteForceResult all = brute_force(scores);
    std::vector<double> p;
    for_each_labelling(scores, [&](const std::vector<Label>&, long double score) {
      p.push_back(std::exp(static_cast<double>(score) - all.log_partition));
    });
    std::ranges::sort(p, std::greater<>());
    out.margin.push_back(1 - (p[0] - (p.size() > 1 ? p[1] : 0)));
    double entropy = 0, errors = 0;
    for (const double each : p) entropy -= each > 0 ? each * std::log(each) : 0;
    for (std::size_t t = 0; t < all.best.size(); ++t) errors += 1 - all.state(t, all.best[t]);
    out.entropy.push_back(entropy);
    out.errors.push_back(errors);
  });
  return out;
}

void expect_order(const ChainModel& model, const std::string& data, Uncertainty by,
                  const std::vector<double>& expected) {
  const TagPlan plan(model);
  for (const std::size_t most : {kSequences + 5, kSequences, std::size_t{3}, std::size_t{1}}) {
    SequenceSource source(LineReader(data, "data"), model.extractor(), Labels::optional);
    const auto found = suggest(plan, source, by, most, false);
    ASSERT_EQ(found.size(), std::min(most, kSequences));
    std::vector<double> sorted = expected;
    std::ranges::sort(sorted, std::greater<>());
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_NEAR(found[k].score, expected[found[k].sequence], 1e-9);
      EXPECT_NEAR(found[k].score, sorted[k], 1e-9)
          << kUncertainties[static_cast<std::size_t>(by)] << " " << k;
      EXPECT_EQ(found[k].json["score"], Json(found[k].score));
    }
  }
}

TEST(Suggest, TheLeastSureSequencesComeFirstWhateverIsAskedFor) {
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    SmallModel how;
    how.labels = {"A", "B", "C"};
    how.attributes = 60;  // of few that are alike, two labellings may be the best
    const ChainModel model = random_model(how, random);
    const std::string data = random_data(how, random);
    const Expected expected = by_enumeration(model, data);
    expect_order(model, data, Uncertainty::margin, expected.margin);
    expect_order(model, data, Uncertainty::entropy, expected.entropy);
    expect_order(model, data, Uncertainty::errors, expected.errors);
  }
}

TEST(Suggest, EqualSequencesKeepTheirOrderAndOneLabelLeavesNoDoubt) {
  Random random(6);
  SmallModel how;
  how.labels = {"A"};
  const ChainModel model = random_model(how, random);
  const TagPlan plan(model);
  SequenceSource source(LineReader("\ta0\n\n\ta1\n\n\ta0\n\n", "data"), model.extractor(),
                        Labels::optional);
  const auto found = suggest(plan, source, Uncertainty::margin, 2, false);
  ASSERT_EQ(found.size(), 2);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(found[k].sequence, k);
    EXPECT_NEAR(found[k].score, 0, 1e-12);
  }
}

}  // namespace
}  // namespace croft::suggest_test

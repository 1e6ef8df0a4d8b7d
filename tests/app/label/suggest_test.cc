// How unsure a model is of each sequence, against an enumeration of all labellings.
#include "app/label/suggest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>

#include "croft/inference/brute_force.h"
#include "support/message_of.h"
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

// Sequences, as they are, and what a model of another seed says of them.
struct Read {
  std::vector<TextSequence> sequences;
  std::vector<Tagging> taggings;
};

Read read_all(const ChainModel& model, const std::string& data) {
  Read out;
  Tagger tagger(model);
  SequenceSource source(LineReader(data, "data"), model.extractor(), Labels::optional);
  for_each_sequence(source, [&](const InputSequence& input) {
    out.sequences.push_back(input.text);
    out.taggings.push_back(tagger.tag(input.text, {.marginals = true}));
  });
  return out;
}

using Counts = std::map<std::string, double>;

Counts counts_of(const TextSequence& text) {
  Counts counts;
  for (std::size_t k = 0; k < text.node.items(); ++k) {
    counts[std::string(text.node.item(k))] += text.node.value(k);
  }
  return counts;
}

double dot(const Counts& a, const Counts& b) {
  double sum = 0;
  for (const auto& [name, count] : a) {
    if (const auto at = b.find(name); at != b.end()) sum += count * at->second;
  }
  return sum;
}

TEST(Suggest, DensityIsTheMeanCosineWithAllOthers) {
  Random random(7);
  SmallModel how;
  how.labels = {"A", "B"};
  how.attributes = 8;
  const ChainModel model = random_model(how, random);
  const Read read = read_all(model, random_data(how, random) + "\tnew\n\n");
  Density density;
  for (const TextSequence& each : read.sequences) density.add(each);
  const std::vector<double> means = density.means();
  ASSERT_EQ(means.size(), read.sequences.size());
  for (std::size_t n = 0; n < means.size(); ++n) {
    const Counts own = counts_of(read.sequences[n]);
    double sum = 0;
    for (std::size_t m = 0; m < means.size(); ++m) {
      const Counts other = counts_of(read.sequences[m]);
      if (m != n) sum += dot(own, other) / std::sqrt(dot(own, own) * dot(other, other));
    }
    EXPECT_NEAR(means[n], sum / static_cast<double>(means.size() - 1), 1e-6);
  }
  EXPECT_EQ(means.back(), 0);  // like no other
  Density alone;
  alone.add(read.sequences[0]);
  EXPECT_EQ(alone.means(), std::vector<double>{1});
}

TEST(Suggest, ADensityWeighsTheUncertaintyToItsPower) {
  Random random(8);
  SmallModel how;
  how.labels = {"A", "B", "C"};
  how.attributes = 9;
  const ChainModel model = random_model(how, random);
  const std::string data = random_data(how, random);
  const std::vector<double> entropy = by_enumeration(model, data).entropy;
  Density density;
  for (const TextSequence& each : read_all(model, data).sequences) density.add(each);
  const std::vector<double> means = density.means();
  const TagPlan plan(model);
  for (const double beta : {0.5, 1.0, 3.0}) {
    SequenceSource source(LineReader(data, "data"), model.extractor(), Labels::optional);
    const CommitteeMember alone{&plan, &source};
    const auto found = suggest(std::span(&alone, 1),
                               {.by = Uncertainty::entropy, .most = 5, .density = beta}, false);
    ASSERT_EQ(found.size(), 5);
    std::vector<double> expected;
    for (std::size_t n = 0; n < kSequences; ++n) {
      expected.push_back(entropy[n] * std::pow(means[n], beta));
    }
    for (const Suggestion& each : found) {
      EXPECT_NEAR(each.score, expected[each.sequence], 1e-9);
      EXPECT_EQ(each.json["density"], Json(means[each.sequence]));
    }
    std::ranges::sort(expected, std::greater<>());
    for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(found[k].score, expected[k], 1e-9);
  }
}

// Label -> share, of a position.
using Shares = std::map<std::string, double>;

double entropy_of(const Shares& shares) {
  double sum = 0;
  for (const auto& [label, p] : shares) sum -= p > 0 ? p * std::log(p) : 0;
  return sum;
}

// From the definitions (U.8), (U.9): the second as H(mean) - mean H, which it is equal to.
std::pair<double, double> disagreement(const std::vector<const ChainModel*>& models,
                                       const std::vector<Read>& read, std::size_t n) {
  const std::size_t length = read[0].sequences[n].length();
  const auto weight = 1 / static_cast<double>(models.size());
  double votes = 0, divergence = 0;
  for (std::size_t t = 0; t < length; ++t) {
    Shares vote, mean;
    double own = 0;
    for (std::size_t c = 0; c < models.size(); ++c) {
      const Tagging& tagging = read[c].taggings[n];
      vote[models[c]->label(tagging.y[t])] += weight;
      Shares marginals;
      for (Label y = 0; y < models[c]->labels(); ++y) {
        marginals[models[c]->label(y)] = tagging.marginals(t, y);
        mean[models[c]->label(y)] += weight * tagging.marginals(t, y);
      }
      own += weight * entropy_of(marginals);
    }
    votes += entropy_of(vote);
    divergence += entropy_of(mean) - own;
  }
  const auto positions = static_cast<double>(length);
  return {votes / positions, divergence / positions};
}

TEST(Suggest, ACommitteeDisagreesByItsVotesAndByItsMarginals) {
  Random random(9);
  SmallModel how;
  how.attributes = 20;
  std::vector<std::unique_ptr<const ChainModel>> models;
  for (const std::vector<std::string>& labels :
       {std::vector<std::string>{"A", "B", "C"}, {"C", "A", "B"}, {"B", "D"}}) {
    how.labels = labels;
    models.emplace_back(new ChainModel(random_model(how, random)));
  }
  const std::string data = random_data(how, random);
  std::vector<const ChainModel*> all;
  std::vector<Read> read;
  for (const auto& each : models) {
    all.push_back(each.get());
    read.push_back(read_all(*each, data));
  }
  for (const Uncertainty by : {Uncertainty::vote_entropy, Uncertainty::divergence}) {
    std::vector<std::unique_ptr<TagPlan>> plans;
    std::vector<std::unique_ptr<SequenceSource>> sources;
    std::vector<CommitteeMember> members;
    for (const auto& each : models) {
      plans.push_back(std::make_unique<TagPlan>(*each));
      sources.push_back(std::make_unique<SequenceSource>(LineReader(data, "data"),
                                                         each->extractor(), Labels::optional));
      members.push_back({plans.back().get(), sources.back().get()});
    }
    const auto found = suggest(members, {.by = by, .most = kSequences}, false);
    ASSERT_EQ(found.size(), kSequences);
    EXPECT_GT(found.front().score, 0);
    for (std::size_t k = 0; k < found.size(); ++k) {
      const auto [votes, divergence] = disagreement(all, read, found[k].sequence);
      EXPECT_NEAR(found[k].score, by == Uncertainty::vote_entropy ? votes : divergence, 1e-9);
      EXPECT_LE(found[k].score, found[k > 0 ? k - 1 : 0].score);
    }
  }
}

TEST(Suggest, MeasuresOfACommitteeAndOfOneModelAreNotMistaken) {
  const auto error = [](const SuggestOptions& options, std::size_t models) {
    return message_of<UsageError>([&] { options.validate(models); });
  };
  EXPECT_EQ(error({.by = Uncertainty::divergence}, 1),
            "--by divergence is how much several models disagree; name two or more");
  EXPECT_EQ(error({.by = Uncertainty::margin}, 2),
            "--by margin is of one model; of several there are vote-entropy and divergence");
  EXPECT_EQ(error({.density = -1}, 1), "--density is a power, 0 or more");
  EXPECT_EQ(error({.density = std::numeric_limits<double>::infinity()}, 1),
            "--density is a power, 0 or more");
}

}  // namespace
}  // namespace croft::suggest_test

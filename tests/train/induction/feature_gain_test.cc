#include "train/induction/feature_gain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/core/random.h"
#include "support/random_data.h"
#include "train/induction/feature_induction.h"

namespace croft::feature_gain_test {
namespace {

using testing_support::DataShape;
using testing_support::PlainData;

std::vector<GainPlace> random_places(Random& random, bool values) {
  std::vector<GainPlace> places(1 + random.below(30));
  const double bias = random.uniform();
  for (GainPlace& t : places) {
    t.probability = random.below(8) == 0 ? 0.999 : random.uniform();
    if (values) t.value = random.normal();
    t.weight = 0.25 + random.uniform();
    t.gold = random.uniform() < bias;
  }
  return places;
}

// By thirds: G is concave.
double best_by_search(const std::vector<GainPlace>& places, const Regulariser& regulariser) {
  double low = -200, high = 200;
  for (int k = 0; k < 300; ++k) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    (gain_at(places, a, regulariser) < gain_at(places, b, regulariser) ? low : high) =
        gain_at(places, a, regulariser) < gain_at(places, b, regulariser) ? a : b;
  }
  return (low + high) / 2;
}

TEST(FeatureGain, NewtonFindsTheMaximumThatASearchFinds) {
  Random random(1);
  for (int round = 0; round < 500; ++round) {
    const auto places = random_places(random, round % 2 == 0);
    const Regulariser regulariser{.l1 = round % 3 == 0 ? random.uniform() : 0.0,
                                  .l2 = 0.05 + 2 * random.uniform()};
    const FeatureGain found = best_gain(places, regulariser);
    const double mu = best_by_search(places, regulariser);
    EXPECT_NEAR(found.gain, std::max(0.0, gain_at(places, mu, regulariser)), 1e-9);
    EXPECT_NEAR(found.weight, mu, 1e-4);
    EXPECT_DOUBLE_EQ(found.gain, gain_at(places, found.weight, regulariser));
  }
}

TEST(FeatureGain, IsNothingWhereTheSlopeIsWithinL1) {
  const std::vector<GainPlace> places = {{.probability = 0.5, .gold = true},
                                         {.probability = 0.75, .gold = false}};  // slope -0.25
  EXPECT_EQ(best_gain(places, {.l1 = 0.25, .l2 = 1}).gain, 0);
  EXPECT_GT(best_gain(places, {.l1 = 0.24, .l2 = 1}).gain, 0);
  EXPECT_LT(best_gain(places, {.l1 = 0.24, .l2 = 1}).weight, 0);
}

TEST(FeatureGain, IsNotAboveItsBound) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    const auto places = random_places(random, true);
    const Regulariser regulariser{.l1 = random.uniform() / 4, .l2 = 0.05 + random.uniform()};
    double excess = 0;
    for (const GainPlace& t : places) {
      excess += t.weight * t.value * ((t.gold ? 1 : 0) - t.probability);
    }
    EXPECT_LE(best_gain(places, regulariser).gain, gain_bound(excess, regulariser) * (1 + 1e-12));
  }
}

TEST(FeatureGain, ProbabilitiesOfZeroAndOneAndLargeValuesAreNoTrouble) {
  const std::vector<GainPlace> places = {{.probability = 0, .value = 1, .gold = true},
                                         {.probability = 1, .value = 1, .gold = false},
                                         {.probability = 0.5, .value = 1e3, .gold = true},
                                         {.probability = 0.5, .value = -1e3, .gold = true}};
  const FeatureGain found = best_gain(places, {.l1 = 0, .l2 = 1});
  EXPECT_TRUE(std::isfinite(found.weight));
  EXPECT_TRUE(std::isfinite(found.gain));
}

// --- the search for candidates

struct Problem {
  ChainData data;
  Matrix<float> probability;
  std::vector<std::uint32_t> places;
  std::vector<double> weight;
  std::vector<bool> is_test;
  GainData view() const { return {data.node, data.label, probability, places, weight}; }
};

Problem random_problem(std::size_t attributes, bool values, std::uint64_t seed) {
  Random random(seed);
  const PlainData plain = testing_support::random_plain_data({.sequences = 60,
                                                              .labels = 3,
                                                              .node_attributes = attributes,
                                                              .edge = 0,
                                                              .values = values,
                                                              .weights = false},
                                                             random);
  Problem p;
  p.data = testing_support::to_chain_data(plain);
  p.probability.assign(p.data.positions(), 3, 0);
  for (std::uint32_t t = 0; t < p.data.positions(); ++t) {
    float sum = 0;
    for (Label j = 0; j < 3; ++j) {
      p.probability(t, j) = static_cast<float>(0.1 + random.uniform());
      sum += p.probability(t, j);
    }
    for (Label j = 0; j < 3; ++j) p.probability(t, j) /= sum;
    if (random.below(3) == 0) continue;
    p.places.push_back(t);
    p.weight.push_back(0.5 + random.uniform());
  }
  p.is_test.assign(attributes, true);
  p.is_test[1] = false;
  return p;
}

// The value of an attribute at a position, summed.
double value_at(const ChainData& data, std::uint32_t p, std::uint32_t a) {
  double sum = 0;
  for (std::uint64_t k = data.node.begin[p]; k < data.node.begin[p + 1]; ++k) {
    if (data.node.id[k] == a) sum += data.node.value.empty() ? 1 : data.node.value[k];
  }
  return sum;
}

struct Expected {
  std::vector<std::uint32_t> parts;
  Label label;
  double gain;
};

// All conjunctions, one by one.
std::vector<Expected> enumerate(const Problem& p, const Regulariser& regulariser,
                                const InductionOptions& options) {
  const auto attributes = static_cast<std::uint32_t>(p.is_test.size());
  std::vector<std::vector<std::uint32_t>> all;
  for (std::uint32_t a = 0; a < attributes; ++a) {
    if (!p.is_test[a]) continue;
    all.push_back({a});
    for (std::uint32_t b = a + 1; b < attributes && options.size >= 2; ++b) {
      if (!p.is_test[b]) continue;
      all.push_back({a, b});
      for (std::uint32_t c = b + 1; c < attributes && options.size >= 3; ++c) {
        if (p.is_test[c]) all.push_back({a, b, c});
      }
    }
  }
  std::vector<Expected> found;
  for (const auto& parts : all) {
    std::vector<std::pair<std::size_t, double>> where;
    for (std::size_t k = 0; k < p.places.size(); ++k) {
      double value = 1;
      for (const std::uint32_t a : parts) value *= value_at(p.data, p.places[k], a);
      if (value != 0) where.emplace_back(k, value);
    }
    if (where.size() < options.min_count) continue;
    for (Label j = 0; j < 3; ++j) {
      std::vector<GainPlace> places;
      for (const auto& [k, value] : where) {
        const std::uint32_t t = p.places[k];
        places.push_back({p.probability(t, j), value, p.weight[k], p.data.label[t] == j});
      }
      const double gain = best_gain(places, regulariser).gain;
      if (gain > options.min_gain) found.push_back({parts, j, gain});
    }
  }
  std::ranges::sort(found, std::greater(), &Expected::gain);
  return found;
}

TEST(FeatureInduction, FindsTheCandidatesThatAnEnumerationFinds) {
  ThreadPool pool(2);
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Problem p = random_problem(9, seed % 2 == 0, seed);
    const Regulariser regulariser{.l1 = seed % 3 == 0 ? 0.2 : 0.0, .l2 = 0.5};
    const InductionOptions options{
        .size = 1 + seed % 3, .min_gain = 0.05, .min_count = 2, .from_nothing = true};
    const std::vector<Expected> expected = enumerate(p, regulariser, options);
    const auto found = find_candidates(
        p.view(), p.is_test, [](auto, Label) { return false; }, regulariser, options, 1000, pool);
    ASSERT_GT(found.size(), 3u);
    // Equal places are one candidate: every gain found is an expected one, and the other way round.
    for (const FeatureCandidate& each : found) {
      const auto same = [&](const Expected& e) {
        return std::ranges::equal(e.parts, each.attributes()) && e.label == each.label;
      };
      const auto at = std::ranges::find_if(expected, same);
      ASSERT_NE(at, expected.end());
      EXPECT_NEAR(at->gain, each.gain.gain, 1e-9);
    }
    for (const Expected& e : expected) {
      EXPECT_TRUE(std::ranges::any_of(found, [&](const FeatureCandidate& each) {
        return each.label == e.label && std::abs(each.gain.gain - e.gain) < 1e-9;
      }));
    }
    EXPECT_TRUE(std::ranges::is_sorted(found, better));
  }
}

TEST(FeatureInduction, TheBestFewAreTheFirstOfAllAndDependOnNoThread) {
  const Problem p = random_problem(12, false, 5);
  const Regulariser regulariser{.l1 = 0, .l2 = 1};
  const InductionOptions options{.size = 3, .min_gain = 0, .min_count = 1, .from_nothing = true};
  const auto none = [](auto, Label) { return false; };
  ThreadPool one(1), three(3);
  const auto all = find_candidates(p.view(), p.is_test, none, regulariser, options, 5000, one);
  for (ThreadPool* pool : {&one, &three}) {
    const auto few = find_candidates(p.view(), p.is_test, none, regulariser, options, 7, *pool);
    ASSERT_EQ(few.size(), 7u);
    for (std::size_t k = 0; k < few.size(); ++k) {
      EXPECT_EQ(few[k].part, all[k].part);
      EXPECT_EQ(few[k].label, all[k].label);
      EXPECT_EQ(few[k].gain.gain, all[k].gain.gain);
    }
  }
}

TEST(FeatureInduction, PassesOverWhatTheModelHas) {
  const Problem p = random_problem(6, false, 7);
  ThreadPool pool(1);
  const InductionOptions options{.size = 2, .min_gain = 0, .min_count = 1, .from_nothing = true};
  const auto found = find_candidates(
      p.view(), p.is_test, [](auto parts, Label) { return parts.size() == 1; }, {.l1 = 0, .l2 = 1},
      options, 100, pool);
  ASSERT_FALSE(found.empty());
  for (const FeatureCandidate& each : found) EXPECT_EQ(each.parts, 2u);
}

}  // namespace
}  // namespace croft::feature_gain_test

// Features of two labels: their gain by brute force, and the search for them by enumeration.
#include "train/induction/feature_pairs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/inference/brute_force.h"
#include "model/chain_layout.h"
#include "support/random_chain.h"
#include "support/random_data.h"

namespace croft::feature_pairs_test {
namespace {

using testing_support::random_chain;
using testing_support::RandomChain;

// A sequence, its labels, and where the feature of the pair (from, label) holds.
struct Instance {
  RandomChain<double> chain;
  std::vector<Label> y;
  std::vector<std::pair<std::size_t, double>> holds;  // t >= 1, value
  double weight;
};

constexpr Label kFrom = 1, kLabel = 2;

std::vector<Instance> random_instances(std::size_t most_places, Random& random) {
  std::vector<Instance> all;
  for (std::size_t n = 0; n < 6; ++n) {
    const std::size_t length = 2 + random.below(3);
    Instance one{random_chain<double>({.length = length, .overlay = 0.3}, random),
                 {},
                 {},
                 0.25 + random.uniform()};
    for (std::size_t t = 0; t < length; ++t) one.y.push_back(static_cast<Label>(random.below(3)));
    for (std::size_t t = 1; t < length && one.holds.size() < most_places; ++t) {
      if (most_places == 1 ? t + 1 == length || random.below(2) == 0 : random.below(4) > 0) {
        one.holds.emplace_back(t, 0.5 + random.uniform());
      }
    }
    if (n % 2 == 0 && !one.holds.empty()) {  // some are the true pair's
      one.y[one.holds[0].first - 1] = kFrom;
      one.y[one.holds[0].first] = kLabel;
    }
    all.push_back(std::move(one));
  }
  return all;
}

double feature(const Instance& one, const std::vector<Label>& y) {
  double sum = 0;
  for (const auto& [t, value] : one.holds) {
    if (y[t - 1] == kFrom && y[t] == kLabel) sum += value;
  }
  return sum;
}

// sum_n omega_n log p(y_n | x_n) with the feature's weight mu, from all labellings.
double log_likelihood(const std::vector<Instance>& all, double mu) {
  double total = 0;
  for (const Instance& one : all) {
    long double z = 0;
    for_each_labelling(one.chain.scores, [&](const std::vector<Label>& y, long double s) {
      z += std::exp(s + static_cast<long double>(mu * feature(one, y)));
    });
    total += one.weight * (score(one.chain.scores, one.y) + mu * feature(one, one.y) -
                           static_cast<double>(std::log(z)));
  }
  return total;
}

std::vector<GainPlace> gain_places(const std::vector<Instance>& all) {
  std::vector<GainPlace> places;
  for (const Instance& one : all) {
    const BruteForceResult model = brute_force(one.chain.scores);
    for (const auto& [t, value] : one.holds) {
      places.push_back({model.edge[t](kFrom, kLabel), value, one.weight,
                        one.y[t - 1] == kFrom && one.y[t] == kLabel});
    }
  }
  return places;
}

TEST(FeatureOfTwoLabels, GainIsThatOfTheLikelihoodWhereASequenceHasItOnce) {
  Random random(1);
  for (int round = 0; round < 25; ++round) {
    const std::vector<Instance> all = random_instances(1, random);
    const auto places = gain_places(all);
    ASSERT_FALSE(places.empty());
    const Regulariser regulariser{.l1 = round % 2 == 0 ? 0.0 : 0.1, .l2 = 0.3};
    const double before = log_likelihood(all, 0);
    const auto gain = [&](double mu) {
      return log_likelihood(all, mu) - before - regulariser.l1 * std::abs(mu) -
             regulariser.l2 / 2 * mu * mu;
    };
    for (const double mu : {-3.0, -0.4, 0.7, 2.5}) {
      EXPECT_NEAR(gain_at(places, mu, regulariser), gain(mu), 1e-10);
    }
    const FeatureGain found = best_gain(places, regulariser);
    EXPECT_NEAR(found.gain, gain(found.weight), 1e-10);
    for (double mu = -6; mu <= 6; mu += 0.2) EXPECT_LE(gain(mu), found.gain + 1e-10);
  }
}

TEST(FeatureOfTwoLabels, SlopeAtZeroIsThatOfTheLikelihoodWhereverItHolds) {
  Random random(2);
  for (int round = 0; round < 25; ++round) {
    const std::vector<Instance> all = random_instances(5, random);
    double excess = 0;
    for (const GainPlace& at : gain_places(all)) {
      excess += at.weight * at.value * ((at.gold ? 1 : 0) - at.probability);
    }
    const double h = 1e-5;
    EXPECT_NEAR((log_likelihood(all, h) - log_likelihood(all, -h)) / (2 * h), excess, 1e-7);
  }
}

TEST(FeatureOfTwoLabels, EdgeProbabilitiesAreThoseOfAllLabellings) {
  Random random(3);
  for (int round = 0; round < 10; ++round) {
    ChainData data = testing_support::to_chain_data(testing_support::random_plain_data(
        {.edge = round % 2 == 0 ? 0.0 : 0.5, .values = true, .weights = false}, random));
    Renumbering renumbering;
    const ChainLayout layout = make_chain_layout(
        data, 3, 15, 6, {.features = round % 3 == 0 ? FeatureSet::observed : FeatureSet::all},
        renumbering);
    std::vector<double> w(layout.dimension());
    for (double& each : w) each = random.normal();
    ThreadPool pool(1);
    const EdgeProbabilities model(data, layout, w, pool);
    LinearScorer<double> scorer(layout);
    scorer.set_weights(w, pool);
    EdgeProbabilities::Scratch scratch;
    ChainScores<double> scores;
    std::size_t visited = 0;
    for (std::size_t n = 0; n < data.sequences(); ++n) {
      std::vector<std::uint32_t> positions;
      for (auto p = data.sequence_begin[n] + 1; p < data.sequence_begin[n + 1]; p += 2) {
        positions.push_back(static_cast<std::uint32_t>(p));
      }
      scorer.score(data, n, scores);
      const BruteForceResult expected = brute_force(scores);
      model.visit(n, positions, scratch, [&](std::size_t k, const Matrix<double>& p) {
        ++visited;
        const std::size_t t = positions[k] - data.sequence_begin[n];
        for (Label i = 0; i < 3; ++i) {
          for (Label j = 0; j < 3; ++j) EXPECT_NEAR(p(i, j), expected.edge[t](i, j), 1e-12);
        }
      });
    }
    EXPECT_GT(visited, 3u);
  }
}

// --- the search

struct Edges {
  ChainData data;
  EdgePlaces places;
};

constexpr std::size_t kLabels = 3, kAttributes = 8;

Edges random_edges(bool values, std::uint64_t seed) {
  Random random(seed);
  Edges e;
  e.data = testing_support::to_chain_data(
      testing_support::random_plain_data({.sequences = 60,
                                          .node_attributes = kAttributes,
                                          .edge = 0,
                                          .values = values,
                                          .weights = false},
                                         random));
  for (std::size_t n = 0; n < e.data.sequences(); ++n) {
    for (auto p = e.data.sequence_begin[n] + 1; p < e.data.sequence_begin[n + 1]; ++p) {
      e.places.position.push_back(static_cast<std::uint32_t>(p));
      e.places.weight.push_back(0.5 + random.uniform());
      e.places.gold.push_back(
          static_cast<std::uint32_t>(e.data.label[p - 1] * kLabels + e.data.label[p]));
      for (std::uint32_t c = 0; c < kLabels * kLabels; ++c) {
        if (random.below(3) == 0) continue;
        e.places.cell.push_back(c);
        e.places.probability.push_back(static_cast<float>(0.2 * random.uniform()));
      }
      e.places.begin.push_back(e.places.cell.size());
    }
  }
  return e;
}

double value_at(const ChainData& data, std::uint32_t p, std::uint32_t a) {
  double sum = 0;
  for (std::uint64_t k = data.node.begin[p]; k < data.node.begin[p + 1]; ++k) {
    if (data.node.id[k] == a) sum += data.node.value.empty() ? 1 : data.node.value[k];
  }
  return sum;
}

// The best gain of one conjunction with one pair, and at how many edges it is.
std::pair<double, std::size_t> gain_of(const Edges& e, const std::vector<std::uint32_t>& parts,
                                       std::uint32_t cell, const Regulariser& regulariser) {
  std::vector<GainPlace> places;
  for (std::size_t k = 0; k < e.places.position.size(); ++k) {
    double value = 1;
    for (const std::uint32_t a : parts) value *= value_at(e.data, e.places.position[k], a);
    if (value == 0) continue;
    double p = 0;
    for (auto n = e.places.begin[k]; n < e.places.begin[k + 1]; ++n) {
      if (e.places.cell[n] == cell) p = double{e.places.probability[n]};
    }
    places.push_back({p, value, e.places.weight[k], e.places.gold[k] == cell});
  }
  return {best_gain(places, regulariser).gain, places.size()};
}

TEST(PairInduction, FindsTheCandidatesThatAnEnumerationFinds) {
  const std::vector<bool> is_test(kAttributes, true);
  const Regulariser regulariser{.l1 = 0.1, .l2 = 0.5};
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Edges e = random_edges(seed % 2 == 0, seed);
    const InductionOptions options{.size = 2, .min_gain = 0.3, .min_count = 2, .pairs = true};
    ThreadPool one(1), three(3);
    const auto none = [](const FeatureCandidate&) { return false; };
    const auto found = find_pair_candidates(e.data.node, e.places, kLabels, is_test, none,
                                            regulariser, options, 1000, one);
    const auto again = find_pair_candidates(e.data.node, e.places, kLabels, is_test, none,
                                            regulariser, options, 1000, three);
    ASSERT_GT(found.size(), 5u);
    ASSERT_EQ(again.size(), found.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      const FeatureCandidate& each = found[k];
      const std::vector<std::uint32_t> parts(each.attributes().begin(), each.attributes().end());
      const auto cell = static_cast<std::uint32_t>(each.from * kLabels + each.label);
      EXPECT_NEAR(gain_of(e, parts, cell, regulariser).first, each.gain.gain, 1e-9);
      EXPECT_EQ(again[k].part, each.part);
      EXPECT_EQ(again[k].gain.gain, each.gain.gain);
    }
    std::vector<std::vector<std::uint32_t>> all;
    for (std::uint32_t a = 0; a < kAttributes; ++a) {
      all.push_back({a});
      for (std::uint32_t b = a + 1; b < kAttributes; ++b) all.push_back({a, b});
    }
    for (const auto& parts : all) {
      for (std::uint32_t cell = 0; cell < kLabels * kLabels; ++cell) {
        const auto [gain, places] = gain_of(e, parts, cell, regulariser);
        if (places < options.min_count || !(gain > options.min_gain)) continue;
        EXPECT_TRUE(std::ranges::any_of(found, [&, best = gain](const FeatureCandidate& each) {
          return each.from * kLabels + each.label == cell && std::abs(each.gain.gain - best) < 1e-9;
        })) << gain;
      }
    }
  }
}

TEST(PairInduction, PassesOverWhatTheModelHas) {
  const Edges e = random_edges(false, 20);
  ThreadPool pool(1);
  const auto found = find_pair_candidates(
      e.data.node, e.places, kLabels, std::vector<bool>(kAttributes, true),
      [](const FeatureCandidate& each) { return each.from == 0; }, {.l1 = 0, .l2 = 1},
      {.size = 2, .min_gain = 0, .min_count = 1, .pairs = true}, 100, pool);
  ASSERT_FALSE(found.empty());
  for (const FeatureCandidate& each : found) EXPECT_NE(each.from, 0u);
}

}  // namespace
}  // namespace croft::feature_pairs_test

// Part of a layout: the same features, found at the places that it says, and the same scores.
#include <gtest/gtest.h>

#include <map>

#include "model/chain_layout.h"
#include "model/linear_scorer.h"
#include "support/naive_features.h"

namespace croft::feature_selection_test {
namespace {

using testing_support::DataShape;
using testing_support::Feature;
using testing_support::feature_positions;
using testing_support::random_plain_data;
using testing_support::to_chain_data;

struct Case {
  ChainData data;  // with the ids of the layout
  ChainLayout layout;
  Renumbering renumbering;
};

Case random_case(FeatureSet features, std::size_t tied_rows, std::size_t labels, Random& random) {
  const DataShape shape{.sequences = 25, .labels = labels};
  Case all{to_chain_data(random_plain_data(shape, random)), {}, {}};
  all.layout = make_chain_layout(all.data, labels, shape.node_attributes, shape.edge_attributes,
                                 {.features = features, .tied_rows = tied_rows}, all.renumbering);
  return all;
}

std::vector<Case> all_cases(Random& random) {
  std::vector<Case> list;
  for (const FeatureSet features : {FeatureSet::observed, FeatureSet::all}) {
    for (const std::size_t tied_rows : {0, 1, 2}) {
      for (const std::size_t labels : {1, 3, 9}) {
        list.push_back(random_case(features, tied_rows, labels, random));
      }
    }
  }
  return list;
}

// Each with probability p, and all tied rows alike.
std::vector<std::uint64_t> random_features(const ChainLayout& layout, double p, Random& random) {
  std::vector<std::uint64_t> features;
  const RowLayout& tied = layout.tied;
  std::vector<bool> listed(tied.rows() == 0 ? 0 : tied.length(0));
  for (std::size_t k = 0; k < listed.size(); ++k) listed[k] = random.uniform() < p;
  for (std::uint64_t f = 0; f < tied.begin.back(); ++f) {
    if (listed[static_cast<std::size_t>(f) % listed.size()]) features.push_back(f);
  }
  for (std::uint64_t f = tied.begin.back(); f < layout.dimension(); ++f) {
    if (random.uniform() < p) features.push_back(f);
  }
  return features;
}

Renumbering compose(const Renumbering& first, const Renumbering& second) {
  Renumbering both = first;
  for (auto& id : both.node) id = id == kUnknown ? kUnknown : second.node[id];
  for (auto& id : both.edge) id = id == kUnknown ? kUnknown : second.edge[id];
  return both;
}

TEST(FeatureSelection, HasTheListedFeaturesAndSaysWhereTheyCameFrom) {
  Random random(1);
  for (const Case& all : all_cases(random)) {
    for (const double p : {0.0, 0.1, 0.6, 1.0}) {
      const std::vector<std::uint64_t> features = random_features(all.layout, p, random);
      const FeatureSelection some = select_features(all.layout, features);
      std::vector<std::uint64_t> origin = some.origin;
      std::ranges::sort(origin);
      ASSERT_EQ(origin, features);
      const auto old_positions = feature_positions(all.layout, all.renumbering);
      const auto positions =
          feature_positions(some.layout, compose(all.renumbering, some.renumbering));
      ASSERT_EQ(positions.size(), features.size());
      for (const auto& [feature, position] : positions) {
        EXPECT_EQ(some.origin[position], old_positions.at(feature));
      }
    }
  }
}

TEST(FeatureSelection, ScoresAsTheWholeWithTheOtherWeightsAtZero) {
  Random random(2);
  ThreadPool pool(1);
  for (const Case& all : all_cases(random)) {
    const std::vector<std::uint64_t> features = random_features(all.layout, 0.4, random);
    const FeatureSelection some = select_features(all.layout, features);
    std::vector<double> w(all.layout.dimension()), part;
    for (const std::uint64_t f : features) w[f] = random.normal();
    for (const std::uint64_t f : some.origin) part.push_back(w[f]);
    ChainData data = all.data;
    renumber_lists(some.renumbering.node, some.layout.node_classes, data.node);
    if (data.has_edges()) renumber_lists(some.renumbering.edge, RowClasses(), data.edge);
    LinearScorer<double> whole(all.layout), selected(some.layout);
    whole.set_weights(w, pool);
    selected.set_weights(part, pool);
    ChainScores<double> a, b;
    for (std::size_t n = 0; n < data.sequences(); ++n) {
      whole.score(all.data, n, a);
      selected.score(data, n, b);
      for (std::size_t t = 0; t < a.length(); ++t) {
        for (Label j = 0; j < a.labels(); ++j) {
          EXPECT_NEAR(a.state(t, j), b.state(t, j), 1e-12);
          for (Label i = 0; t > 0 && i < a.labels(); ++i) {
            EXPECT_NEAR(a.edge(t, i, j), b.edge(t, i, j), 1e-12);
          }
        }
      }
    }
  }
}

TEST(FeatureSelection, OneTiedRowsTransitionIsThereInAll) {
  Random random(3);
  const Case all = random_case(FeatureSet::all, 2, 3, random);
  const FeatureSelection some = select_features(all.layout, std::vector<std::uint64_t>{4, 9 + 7});
  EXPECT_EQ(some.origin, (std::vector<std::uint64_t>{4, 7, 9 + 4, 9 + 7}));
}

}  // namespace
}  // namespace croft::feature_selection_test

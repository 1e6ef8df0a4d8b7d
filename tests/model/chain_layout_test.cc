// The layout against features counted in a std::map.
#include "model/chain_layout.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "support/naive_features.h"

namespace croft::chain_layout_test {
namespace {

using testing_support::DataShape;
using testing_support::Feature;
using testing_support::feature_positions;
using testing_support::FeatureKind;
using testing_support::naive_features;
using testing_support::Occurrence;
using testing_support::PlainData;
using testing_support::PlainSequence;
using testing_support::random_plain_data;
using testing_support::to_chain_data;

struct LaidOut {
  ChainData data;
  ChainLayout layout;
  Renumbering renumbering;
};

LaidOut lay_out(const PlainData& plain, const DataShape& shape, const LayoutOptions& options) {
  LaidOut result{to_chain_data(plain), {}, {}};
  result.layout = make_chain_layout(result.data, shape.labels, shape.node_attributes,
                                    shape.edge_attributes, options, result.renumbering);
  return result;
}

std::vector<LayoutOptions> all_options() {
  std::vector<LayoutOptions> list;
  for (const FeatureSet features : {FeatureSet::observed, FeatureSet::all}) {
    for (const std::size_t min_count : {1, 2, 4, 1000}) {
      for (const std::size_t tied_rows : {0, 1, 2}) {
        list.push_back({features, min_count, tied_rows});
      }
    }
  }
  return list;
}

std::vector<DataShape> all_shapes() {
  std::vector<DataShape> list;
  for (const std::size_t labels : {1, 2, 3, 9}) {
    for (const double edge : {0.0, 0.5, 1.0}) {
      for (const bool values : {false, true}) {
        list.push_back({.sequences = 25, .labels = labels, .edge = edge, .values = values});
      }
    }
  }
  return list;
}

// body(plain, shape, options, laid out) for every shape and option.
template <class Body>
void for_all_layouts(const Body& body) {
  Random random(1);
  for (const DataShape& shape : all_shapes()) {
    const PlainData plain = random_plain_data(shape, random);
    for (const LayoutOptions& options : all_options()) {
      SCOPED_TRACE(testing::Message()
                   << "labels " << shape.labels << " edge " << shape.edge << " values "
                   << shape.values << " all " << (options.features == FeatureSet::all)
                   << " min_count " << options.min_count << " tied " << options.tied_rows);
      body(plain, shape, options, lay_out(plain, shape, options));
    }
  }
}

TEST(ChainLayout, FeaturesAreThoseCountedOneByOne) {
  for_all_layouts([](const PlainData& plain, const DataShape& shape, const LayoutOptions& options,
                     const LaidOut& laid_out) {
    const std::set<Feature> expected = naive_features(plain, shape.labels, options);
    std::set<Feature> found;
    for (const auto& [feature, position] :
         feature_positions(laid_out.layout, laid_out.renumbering)) {
      found.insert(feature);
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(laid_out.layout.dimension(), expected.size());
    EXPECT_EQ(laid_out.layout.tied.rows(), options.tied_rows);
  });
}

TEST(ChainLayout, EveryWeightBelongsToOneFeatureAndRowsAreInIncreasingOrderOfCell) {
  for_all_layouts([](const PlainData&, const DataShape&, const LayoutOptions&,
                     const LaidOut& laid_out) {
    std::map<std::uint64_t, Feature> feature_at;
    for (const auto& [feature, position] :
         feature_positions(laid_out.layout, laid_out.renumbering)) {
      EXPECT_TRUE(feature_at.emplace(position, feature).second) << "two features at " << position;
    }
    for (auto at = feature_at.begin(); at != feature_at.end(); ++at) {
      EXPECT_EQ(at->first, static_cast<std::uint64_t>(std::distance(feature_at.begin(), at)));
      const auto next = std::next(at);
      if (next == feature_at.end()) break;
      EXPECT_LE(at->second.kind, next->second.kind);  // w = [tied | node | edge]
      if (at->second.kind == next->second.kind && at->second.attribute == next->second.attribute) {
        EXPECT_LT(at->second, next->second);
      }
    }
  });
}

TEST(ChainLayout, ClassesAreRangesOfIdsByLengthOfRow) {
  std::size_t rich = 0, poor = 0, single = 0;
  for_all_layouts(
      [&](const PlainData&, const DataShape&, const LayoutOptions&, const LaidOut& laid_out) {
        const RowLayout& node = laid_out.layout.node;
        const RowClasses& classes = laid_out.layout.node_classes;
        ASSERT_LE(classes.rich + classes.poor, node.rows());
        std::size_t shortest_rich = node.cells + 1, longest_poor = 0;
        for (std::size_t row = 0; row < node.rows(); ++row) {
          // A full row has no list of cells, which the other classes need.
          if (node.length(row) == node.cells) {
            EXPECT_LT(row, classes.rich);
          }
          if (row < classes.rich) {
            shortest_rich = std::min(shortest_rich, node.length(row));
          } else if (row < classes.rich + classes.poor) {
            longest_poor = std::max(longest_poor, node.length(row));
            EXPECT_GE(node.length(row), 2u);
          } else {
            EXPECT_EQ(node.length(row), 1u);
          }
        }
        EXPECT_GT(shortest_rich, longest_poor);
        rich += classes.rich;
        poor += classes.poor;
        single += node.rows() - classes.rich - classes.poor;
      });
  EXPECT_GT(std::min({rich, poor, single}), 100u);  // the data does have rows of every class
}

// What position p's list must have become: attributes without a feature gone, the others renumbered
// and, for nodes, sorted by class, otherwise in the order they came.
std::vector<Occurrence> expected_list(const std::vector<Occurrence>& list,
                                      const std::vector<std::uint32_t>& id, std::size_t rich,
                                      std::size_t rich_or_poor) {
  std::vector<Occurrence> sorted[3];
  for (const Occurrence& each : list) {
    const std::uint32_t a = id[each.attribute];
    if (a == kUnknown) continue;
    sorted[a < rich ? 0 : a < rich_or_poor ? 1 : 2].push_back({a, each.value});
  }
  for (const int k : {1, 2}) sorted[0].insert(sorted[0].end(), sorted[k].begin(), sorted[k].end());
  return sorted[0];
}

std::vector<Occurrence> list_at(const AttributeLists& lists, std::size_t p) {
  std::vector<Occurrence> list;
  for (std::uint64_t k = lists.begin[p]; k < lists.begin[p + 1]; ++k) {
    list.push_back({lists.id[k], lists.value.empty() ? 1.0 : lists.value[k]});
  }
  return list;
}

TEST(ChainLayout, ListsKeepMultiplicityAndValuesAndAreSortedByClass) {
  for_all_layouts([](const PlainData& plain, const DataShape&, const LayoutOptions&,
                     const LaidOut& laid_out) {
    const ChainData& data = laid_out.data;
    const RowClasses& classes = laid_out.layout.node_classes;
    std::size_t p = 0;
    for (const PlainSequence& sequence : plain) {
      for (std::size_t t = 0; t < sequence.label.size(); ++t, ++p) {
        ASSERT_EQ(list_at(data.node, p), expected_list(sequence.node[t], laid_out.renumbering.node,
                                                       classes.rich, classes.rich + classes.poor));
        if (!data.has_edges()) continue;
        auto found = list_at(data.edge, p);
        auto expected = expected_list(sequence.edge[t], laid_out.renumbering.edge, 0, 0);
        const auto less = [](const Occurrence& a, const Occurrence& b) {
          return std::pair(a.attribute, a.value) < std::pair(b.attribute, b.value);
        };
        std::ranges::sort(found, less);
        std::ranges::sort(expected, less);
        ASSERT_EQ(found, expected);
      }
    }
    EXPECT_EQ(data.node.positions(), p);
    EXPECT_EQ(data.node.id.size(), data.node.begin.back());
    EXPECT_EQ(data.edge.id.size(), data.edge.begin.back());
  });
}

// Sequences of one position with label 0 and the given lists.
PlainData positions(const std::vector<std::vector<Occurrence>>& lists) {
  PlainData plain;
  for (const auto& list : lists) plain.push_back({{0}, {list}, {{}}, 1});
  return plain;
}

TEST(ChainLayout, MinCountCountsOccurrencesAndNotValues) {
  const DataShape shape{.labels = 2, .node_attributes = 4, .edge_attributes = 0};
  // 0: twice with value -1; 1: once with 5; 2: twice in one position; 3: twice, values cancel.
  const PlainData plain =
      positions({{{0, -1.0}, {1, 5.0}, {2, 0.5}, {3, 1.0}, {2, 0.5}}, {{0, -1.0}, {3, -1.0}}});
  for (const FeatureSet features : {FeatureSet::observed, FeatureSet::all}) {
    const LaidOut laid_out = lay_out(plain, shape, {features, 2, 1});
    const auto& id = laid_out.renumbering.node;
    EXPECT_EQ(id[1], kUnknown);
    for (const std::uint32_t a : {0, 2, 3}) EXPECT_NE(id[a], kUnknown) << a;
    EXPECT_EQ(laid_out.layout.node.rows(), 3u);
    EXPECT_EQ(laid_out.data.node.id.size(), 6u);
  }
}

TEST(ChainLayout, AnAttributeFrequentOnlyOverSeveralLabelsHasNoObservedFeature) {
  PlainData plain = positions({{{0, 1.0}}, {{0, 1.0}}});
  plain[1].label[0] = 1;
  const DataShape shape{.labels = 2, .node_attributes = 1, .edge_attributes = 0};
  EXPECT_EQ(lay_out(plain, shape, {FeatureSet::observed, 2, 0}).layout.dimension(), 0u);
  EXPECT_EQ(lay_out(plain, shape, {FeatureSet::all, 2, 0}).layout.dimension(), 2u);
}

// Numbers of 8 bytes for each pair of labels would be 8 terabytes.
TEST(ChainLayout, WithoutTransitionsNothingGrowsWithTheSquareOfTheLabels) {
  constexpr std::size_t kLabels = std::size_t{1} << 20;
  PlainData plain = positions({{{0, 1.0}}, {{0, 1.0}}});
  plain[1].label[0] = kLabels - 1;
  const DataShape shape{.labels = kLabels, .node_attributes = 1, .edge_attributes = 0};
  EXPECT_EQ(lay_out(plain, shape, {FeatureSet::observed, 1, 0}).layout.dimension(), 2u);
  EXPECT_EQ(lay_out(plain, shape, {FeatureSet::all, 1, 0}).layout.dimension(), kLabels);
}

TEST(ChainLayout, TransitionsDoNotCrossSequences) {
  PlainData plain = positions({{}, {}, {}});
  plain[1].label[0] = 1;
  const DataShape shape{.labels = 2, .node_attributes = 0, .edge_attributes = 0};
  EXPECT_EQ(lay_out(plain, shape, {FeatureSet::observed, 1, 1}).layout.dimension(), 0u);
  plain[1] = {{0, 1, 1}, {{}, {}, {}}, {{}, {}, {}}, 1};
  const RowLayout tied = lay_out(plain, shape, {FeatureSet::observed, 1, 1}).layout.tied;
  ASSERT_EQ(tied.length(0), 2u);
  EXPECT_EQ(tied.cell_of(0, 0), 1u);  // 0 -> 1
  EXPECT_EQ(tied.cell_of(0, 1), 3u);  // 1 -> 1
}

// The whole way from strings: the weight of (name, label) holds for the positions that have the
// name.
TEST(ChainLayout, NamesLeadToTheSamePositionsAsAMapOfNames) {
  using Named = std::pair<std::string, std::string>;  // of an attribute and a label or two
  Random random(2);
  const DataShape shape{.sequences = 40, .labels = 5, .edge = 0.4};
  const PlainData plain = random_plain_data(shape, random);
  ChainEncoder encoder;
  std::map<Named, std::size_t> counts;
  for (const PlainSequence& x : plain) {
    encoder.add(testing_support::to_text(x));
    testing_support::for_each_fired(x, x.label, 0, [&](const Feature& f, double) {
      const bool node = f.kind == FeatureKind::node;
      ++counts[{
          node ? testing_support::node_name(f.attribute) : testing_support::edge_name(f.attribute),
          (node ? "" : testing_support::label_name(f.from)) + testing_support::label_name(f.to)}];
    });
  }
  const auto named = [&](const StringTable& names, const Feature& f) {
    const auto label = [&](Label j) { return std::string(encoder.label_names[j]); };
    return Named{names[f.attribute],
                 (f.kind == FeatureKind::node ? "" : label(f.from)) + label(f.to)};
  };
  Renumbering renumbering;
  const ChainLayout layout =
      make_chain_layout(encoder.data, encoder.label_names.size(), encoder.node_names.size(),
                        encoder.edge_names.size(), {FeatureSet::observed, 2, 0}, renumbering);
  std::set<Named> found, expected;
  for (const auto& [f, position] : feature_positions(layout, renumbering)) {
    found.insert(named(f.kind == FeatureKind::node ? encoder.node_names : encoder.edge_names, f));
  }
  for (const auto& [name, count] : counts) {
    if (count >= 2) expected.insert(name);
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(layout.dimension(), expected.size());
}

}  // namespace
}  // namespace croft::chain_layout_test

// Features that partially labelled data shows.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/chain_layout.h"

namespace croft::partial_layout_test {
namespace {

struct Position {
  std::string label, node, edge;
};

struct LaidOut {
  ChainEncoder encoder;
  ChainLayout layout;
  Renumbering renumbering;

  // The labels of an attribute's row, in the encoder's order of labels.
  std::string node_row(std::string_view name) const {
    return row(layout.node, renumbering.node[encoder.node_names.find(name)], false);
  }
  std::string edge_row(std::string_view name) const {
    return row(layout.edge, renumbering.edge[encoder.edge_names.find(name)], true);
  }
  std::string row(const RowLayout& rows, std::uint32_t id, bool pairs) const {
    std::string out;
    for (std::size_t k = 0; id != kUnknown && k < rows.length(id); ++k) {
      const std::uint32_t cell = rows.cell_of(id, k), labels = encoder.label_names.size();
      out.append(out.empty() ? "" : " ");
      if (pairs) out += encoder.label_names[cell / labels];
      out += encoder.label_names[cell % labels];
    }
    return out;
  }
};

LaidOut lay_out(const std::vector<std::vector<Position>>& data, const LayoutOptions& options) {
  LaidOut out;
  out.encoder.partial.emplace();
  for (const std::string label : {"A", "B", "C"}) out.encoder.label_names.insert(label);
  for (const auto& sequence : data) {
    TextSequence text;
    for (const Position& position : sequence) {
      text.node.append(position.node);
      text.node.end_list();
      if (!position.edge.empty()) text.edge.append(position.edge);
      text.edge.end_list();
      text.labels.append(position.label);
    }
    text.labels.end_list();
    out.encoder.add(text);
  }
  out.layout = make_chain_layout(out.encoder.data, 3, out.encoder.node_names.size(),
                                 out.encoder.edge_names.size(), options, out.renumbering);
  return out;
}

const std::vector<std::vector<Position>>& example() {
  static const std::vector<std::vector<Position>> data{
      {{"A", "x", ""}, {"A|B", "x", "e"}, {"?", "y", "f"}, {"C", "x", "g"}},
      {{"B|C", "x", ""}, {"A|C", "z", "e"}}};
  return data;
}

TEST(PartialLayout, AnAttributeHasACellForEveryLabelItsPositionMayHave) {
  const LaidOut out = lay_out(example(), {.features = FeatureSet::observed});
  EXPECT_EQ(out.node_row("x"), "A B C");
  EXPECT_EQ(out.node_row("z"), "A C");
}

TEST(PartialLayout, APositionOfAnyLabelShowsNoFeature) {
  const LaidOut out = lay_out(example(), {.features = FeatureSet::observed});
  EXPECT_EQ(out.node_row("y"), "");
  EXPECT_EQ(out.edge_row("f"), "");
  EXPECT_EQ(out.edge_row("g"), "");
}

TEST(PartialLayout, PairsAreAllThatTwoSetsMake) {
  const LaidOut out = lay_out(example(), {.features = FeatureSet::observed});
  EXPECT_EQ(out.edge_row("e"), "AA AB BA BC CA CC");
  EXPECT_EQ(out.row(out.layout.tied, 0, true), "AA AB BA BC CA CC");
}

TEST(PartialLayout, EveryLabelOfASetCountsAsAnOccurrence) {
  const LaidOut out = lay_out(example(), {.features = FeatureSet::observed, .min_count = 2});
  EXPECT_EQ(out.node_row("x"), "A B C");
  EXPECT_EQ(out.node_row("z"), "");
  const LaidOut three = lay_out(example(), {.features = FeatureSet::observed, .min_count = 3});
  EXPECT_EQ(three.node_row("x"), "");
}

TEST(PartialLayout, AllFeaturesDoNotDependOnLabels) {
  const LaidOut out = lay_out(example(), {.features = FeatureSet::all});
  EXPECT_EQ(out.node_row("y"), "A B C");
  EXPECT_EQ(out.edge_row("f"), "AA AB AC BA BB BC CA CB CC");
}

}  // namespace
}  // namespace croft::partial_layout_test

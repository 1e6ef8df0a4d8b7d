// Features and scores by their definition, with std::map and no index arithmetic: what the layout,
// the scorer and the training function are checked against.
#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "croft/core/random.h"
#include "model/chain_layout.h"
#include "support/random_data.h"

namespace croft::testing_support {

enum class FeatureKind { tied, node, edge };

struct Feature {
  FeatureKind kind;
  std::uint32_t attribute;  // of the plain data; the number of the row where kind is tied
  Label from, to;           // node features have from == 0
  auto operator<=>(const Feature&) const = default;
};

using FeatureWeights = std::map<Feature, double>;

// visit(feature, value) for all that the labelling y could fire, whether it has a weight or not.
template <class Visit>
void for_each_fired(const PlainSequence& x, const std::vector<Label>& y, std::size_t tied_rows,
                    const Visit& visit) {
  for (std::size_t t = 0; t < y.size(); ++t) {
    for (const Occurrence& each : x.node[t]) {
      visit(Feature{FeatureKind::node, each.attribute, 0, y[t]}, each.value);
    }
    if (t == 0) continue;
    for (std::uint32_t row = 0; row < tied_rows; ++row) {
      visit(Feature{FeatureKind::tied, row, y[t - 1], y[t]}, 1.0);
    }
    for (const Occurrence& each : x.edge[t]) {
      visit(Feature{FeatureKind::edge, each.attribute, y[t - 1], y[t]}, each.value);
    }
  }
}

inline std::set<Feature> naive_features(const PlainData& data, std::size_t labels,
                                        const LayoutOptions& options) {
  std::map<Feature, std::size_t> of_pair;
  std::map<std::pair<FeatureKind, std::uint32_t>, std::size_t> of_attribute;
  for (const PlainSequence& x : data) {
    for_each_fired(x, x.label, options.tied_rows, [&](const Feature& f, double) {
      ++of_pair[f];
      ++of_attribute[{f.kind, f.attribute}];
    });
  }
  std::set<Feature> features;
  if (options.features == FeatureSet::observed) {
    for (const auto& [feature, count] : of_pair) {
      if (count >= options.min_count) features.insert(feature);
    }
    return features;
  }
  for (const auto& [key, count] : of_attribute) {
    if (count < options.min_count) continue;
    for (Label to = 0; to < labels; ++to) {
      for (Label from = 0; from < (key.first == FeatureKind::node ? 1 : labels); ++from) {
        features.insert({key.first, key.second, from, to});
      }
    }
  }
  return features;
}

// Where the layout says that each feature's weight stands.
inline std::map<Feature, std::uint64_t> feature_positions(const ChainLayout& layout,
                                                          const Renumbering& renumbering) {
  std::map<Feature, std::uint64_t> positions;
  const auto add_row = [&](FeatureKind kind, std::uint32_t attribute, const RowLayout& rows,
                           std::size_t row) {
    for (std::size_t k = 0; k < rows.length(row); ++k) {
      const std::uint32_t cell = rows.cell_of(row, k);
      const auto labels = static_cast<std::uint32_t>(layout.labels);
      const bool pair = kind != FeatureKind::node;
      positions[{kind, attribute, pair ? cell / labels : 0, pair ? cell % labels : cell}] =
          rows.begin[row] + k;
    }
  };
  for (std::uint32_t row = 0; row < layout.tied.rows(); ++row) {
    add_row(FeatureKind::tied, row, layout.tied, row);
  }
  for (std::uint32_t a = 0; a < renumbering.node.size(); ++a) {
    const std::uint32_t id = renumbering.node[a];
    if (id != kUnknown) add_row(FeatureKind::node, a, layout.node, id);
  }
  for (std::uint32_t b = 0; b < renumbering.edge.size(); ++b) {
    const std::uint32_t id = renumbering.edge[b];
    if (id != kUnknown) add_row(FeatureKind::edge, b, layout.edge, id);
  }
  return positions;
}

inline FeatureWeights random_weights(const std::set<Feature>& features, double scale,
                                     Random& random) {
  FeatureWeights weights;
  for (const Feature& feature : features) weights[feature] = scale * random.normal();
  return weights;
}

// Random data, its layout, and random weights both by feature and as the vector w.
struct RandomModel {
  PlainData plain;
  ChainData data;
  ChainLayout layout;
  Renumbering renumbering;
  std::map<Feature, std::uint64_t> position;
  FeatureWeights weights;
  std::vector<double> w;
};

inline RandomModel random_model(const DataShape& shape, const LayoutOptions& options, double scale,
                                Random& random) {
  RandomModel model;
  model.plain = random_plain_data(shape, random);
  model.data = to_chain_data(model.plain);
  model.layout = make_chain_layout(model.data, shape.labels, shape.node_attributes,
                                   shape.edge_attributes, options, model.renumbering);
  model.position = feature_positions(model.layout, model.renumbering);
  model.weights = random_weights(naive_features(model.plain, shape.labels, options), scale, random);
  model.w.resize(model.layout.dimension());
  for (const auto& [feature, weight] : model.weights)
    model.w.at(model.position.at(feature)) = weight;
  return model;
}

}  // namespace croft::testing_support

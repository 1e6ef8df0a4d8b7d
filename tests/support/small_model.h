// Random chain models in memory, with a few attributes, and sequences of these attributes.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "croft/core/random.h"
#include "croft/data/text_sequence.h"
#include "croft/structure/label_histories.h"
#include "model/kinds/chain_model.h"

namespace croft::testing_support {

struct SmallModel {
  std::vector<std::string> labels;
  std::size_t attributes = 4;  // a0, a1, …
  bool overlays = false;       // edge attributes e0, e1 as well
  InputFormat format = InputFormat::attributes;
  std::size_t columns = 0;
  double scale = 2;        // standard deviation of the weights
  double transitions = 1;  // share of the pairs of labels that have a weight
  std::size_t order = 1;
  double pairs = 1;  // with order >= 2: share of the pairs of labels that histories are made of
};

// Those where random pairs of labels may stand side by side.
inline std::shared_ptr<const LabelHistories> random_histories(const SmallModel& how,
                                                              Random& random) {
  const std::size_t labels = how.labels.size();
  std::vector<bool> follows(labels * labels);
  for (std::size_t pair = 0; pair < follows.size(); ++pair) {
    follows[pair] = random.uniform() < how.pairs;
  }
  return std::make_shared<const LabelHistories>(allowed_histories(
      how.order, labels, [](Label) { return true; },
      [&](Label i, Label j) { return follows[i * labels + j]; }));
}

inline ChainModel random_model(const SmallModel& how, Random& random) {
  const std::size_t labels = how.labels.size();
  std::vector<std::string> node_names, edge_names, tied_names = {""};
  for (std::size_t a = 0; a < how.attributes; ++a) node_names.push_back("a" + std::to_string(a));
  if (how.overlays) edge_names = {"e0", "e1"};
  std::vector<double> weights;
  ChainModelParts parts;
  const auto lay_out = [&](const std::vector<std::string>& names, std::size_t cells, double share,
                           std::vector<std::string_view>& views) {
    RowLayout layout;
    layout.cells = cells;
    layout.begin = {weights.size()};
    for (const std::string& name : names) {
      views.push_back(name);
      for (std::uint32_t cell = 0; cell < cells; ++cell) {
        if (random.uniform() >= share) continue;
        layout.cell.push_back(cell);
        weights.push_back(how.scale * random.normal());
      }
      layout.begin.push_back(weights.size());
    }
    return layout;
  };
  ChainLayout layout;
  layout.labels = labels;
  layout.tied = lay_out(tied_names, labels * labels, how.transitions, parts.tied_names);
  layout.node = lay_out(node_names, labels, 1, parts.node_names);
  layout.edge = lay_out(edge_names, labels * labels, 1, parts.edge_names);
  if (how.order > 1) {
    layout.histories = random_histories(how, random);
    for (std::size_t g = 0; g < layout.grams(); ++g) weights.push_back(how.scale * random.normal());
  }
  ExtractionConfig extraction;
  extraction.format = how.format;
  extraction.columns = how.columns;
  const Json training = Json::object();
  parts.labels = how.labels;
  parts.extraction = &extraction;
  parts.layout = &layout;
  parts.weights = weights;
  parts.training = &training;
  return ChainModel(Container::from_bytes(make_chain_model(parts).bytes(), "small.croft"));
}

// One or two attributes a position; with overlays, an edge attribute at every second edge.
inline TextSequence random_text(const SmallModel& how, std::size_t length, Random& random) {
  TextSequence text;
  for (std::size_t t = 0; t < length; ++t) {
    text.node.append("a" + std::to_string(random.below(how.attributes)));
    if (t % 2 == 1) text.node.append("a" + std::to_string(random.below(how.attributes)));
    text.node.end_list();
    if (!how.overlays) continue;
    if (t % 2 == 1) text.edge.append("e" + std::to_string(random.below(2)));
    text.edge.end_list();
  }
  text.first_line = 1;
  return text;
}

inline void set_labels(const std::vector<std::string>& labels, TextSequence& text) {
  text.labels.clear();
  for (const std::string& label : labels) text.labels.append(label);
  text.labels.end_list();
}

}  // namespace croft::testing_support

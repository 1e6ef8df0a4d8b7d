// What a training takes over from the model it starts from: labels, features and their weights.
#include <algorithm>
#include <unordered_map>

#include "train/kinds/chain_training.h"

namespace croft {
namespace {

// A cell of pairs of `from` labels as a cell of pairs of `to` labels.
std::uint32_t widen_pair(std::uint32_t cell, std::size_t from, std::size_t to) {
  return static_cast<std::uint32_t>(cell / from * to + cell % from);
}

// A weight that several transitions share starts at the mean of theirs in `init`, over those whose
// two labels `init` has; so it stays what it is when they share it there too.
//   tied_names : of the layout's tied rows
void append_initial_transitions(const ChainModel& init, std::span<const std::string> tied_names,
                                const ChainLayout& layout, std::vector<FeatureWeight>& weights) {
  std::unordered_map<std::uint32_t, std::uint32_t> weight_of;  // by cell of `init`
  std::unordered_map<std::uint32_t, double> known;             // cells of a weight that `init` has
  layout.for_each_transition([&](std::uint32_t k, std::uint32_t cell) {
    const std::size_t from = cell / layout.labels, to = cell % layout.labels;
    if (from >= init.labels() || to >= init.labels()) return;
    weight_of.emplace(static_cast<std::uint32_t>(from * init.labels() + to), k);
    ++known[k];
  });
  for (std::uint32_t id = 0; id < init.tied().size(); ++id) {
    const auto name = std::ranges::find(tied_names, init.tied().name(id));
    if (name == tied_names.end()) continue;
    std::unordered_map<std::uint32_t, double> sum;
    const WeightRow row = init.tied().row(id);
    for (std::size_t n = 0; n < row.size(); ++n) {
      const auto at = weight_of.find(row.cell(n));
      if (at != weight_of.end()) sum[at->second] += row.weight(n);
    }
    const std::uint64_t begin =
        layout.tied.begin[static_cast<std::size_t>(name - tied_names.begin())];
    for (const auto& [k, total] : sum) weights.push_back({begin + k, total / known.at(k)});
  }
}

}  // namespace

// Labels first, so that a label of the old model keeps its number.
void ChainTraining::keep_features_of(const ChainModel& init) {
  for (Label y = 0; y < init.labels(); ++y) encoder_.label_names.insert(init.label(y));
  const auto keep = [](const FeatureTable& table, StringTable& names, auto& kept) {
    for (std::uint32_t id = 0; id < table.size(); ++id) {
      const std::uint32_t a = names.insert(table.name(id));
      const WeightRow row = table.row(id);
      for (std::size_t k = 0; k < row.size(); ++k) kept.push_back({a, row.cell(k)});
    }
    std::sort(kept.begin(), kept.end());
  };
  keep(init.node(), encoder_.node_names, kept_.node);
  keep(init.edge(), encoder_.edge_names, kept_.edge);
  for (std::uint32_t id = 0; id < init.tied().size(); ++id) {
    const WeightRow row = init.tied().row(id);
    for (std::size_t k = 0; k < row.size(); ++k) kept_.tied.push_back(row.cell(k));
  }
}

void ChainTraining::widen_kept_pairs(std::size_t from) {
  for (auto& feature : kept_.edge) feature.cell = widen_pair(feature.cell, from, labels());
  for (auto& cell : kept_.tied) cell = widen_pair(cell, from, labels());
}

// By increasing feature.
std::vector<FeatureWeight> ChainTraining::initial_weights(const ChainModel& init) const {
  const std::size_t from = init.labels(), to = labels();
  std::vector<FeatureWeight> weights;
  const auto copy = [&](const FeatureTable& table, const RowLayout& layout, bool pairs,
                        const auto& row_of) {
    for (std::uint32_t id = 0; id < table.size(); ++id) {
      const std::uint32_t r = row_of(table.name(id));
      if (r == kUnknown) continue;
      const WeightRow row = table.row(id);
      std::size_t at = 0;
      for (std::size_t k = 0; k < row.size(); ++k) {
        const std::uint32_t cell = pairs ? widen_pair(row.cell(k), from, to) : row.cell(k);
        while (at < layout.length(r) && layout.cell_of(r, at) < cell) ++at;
        if (at < layout.length(r) && layout.cell_of(r, at) == cell) {
          weights.push_back({layout.begin[r] + at, row.weight(k)});
        }
      }
    }
  };
  copy(init.node(), layout_.node, false,
       [&](const std::string& name) { return renumbering_.node[encoder_.node_names.find(name)]; });
  copy(init.edge(), layout_.edge, true,
       [&](const std::string& name) { return renumbering_.edge[encoder_.edge_names.find(name)]; });
  append_initial_transitions(init, tied_names_, layout_, weights);
  for (std::uint32_t g = 0; g < init.gram_weights().size(); ++g) {
    const std::uint32_t to_gram = find_run(layout_.histories->grams, init.histories()->grams[g]);
    weights.push_back({layout_.first_gram() + to_gram, double{init.gram_weights()[g]}});
  }
  std::ranges::sort(weights, {}, &FeatureWeight::feature);
  return weights;
}

}  // namespace croft

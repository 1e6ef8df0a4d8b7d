#include "train/initial_transitions.h"

#include <algorithm>
#include <unordered_map>

namespace croft {

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
      if (at != weight_of.end()) sum[at->second] += double{row.weight(n)};
    }
    const std::uint64_t begin = layout.tied.begin[static_cast<std::size_t>(name - tied_names.begin())];
    for (const auto& [k, total] : sum) weights.push_back({begin + k, total / known.at(k)});
  }
}

}  // namespace croft

#include "sql/clique_index.h"

#include <algorithm>

namespace croft {

void StagedCliques::sort_rows() {
  const auto by_clique = [](const FeatureRow& a, const FeatureRow& b) {
    return a.clique < b.clique;
  };
  if (!std::ranges::is_sorted(rows, by_clique)) std::ranges::stable_sort(rows, by_clique);
}

std::size_t CliqueIndex::home(std::span<const std::uint32_t> variables) const {
  std::uint64_t hash = 0;
  for (const std::uint32_t each : variables) {
    hash = (hash ^ each) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  hash *= 0x9e3779b97f4a7c15;
  return static_cast<std::size_t>((hash >> 32) * slots_.size() >> 32);
}

std::uint32_t CliqueIndex::build() {
  slots_.assign(cliques_.size() * 2 + 1, kUnknown);
  for (std::uint32_t clique = 0; clique < cliques_.size(); ++clique) {
    const auto variables = cliques_.variables(clique);
    std::size_t at = home(variables);
    for (; slots_[at] != kUnknown; at = at + 1 == slots_.size() ? 0 : at + 1) {
      if (std::ranges::equal(cliques_.variables(slots_[at]), variables)) return clique;
    }
    slots_[at] = clique;
  }
  return kUnknown;
}

std::uint32_t CliqueIndex::find(std::span<const std::uint32_t> variables) const {
  for (std::size_t at = home(variables);; at = at + 1 == slots_.size() ? 0 : at + 1) {
    const std::uint32_t clique = slots_[at];
    if (clique == kUnknown || std::ranges::equal(cliques_.variables(clique), variables)) {
      return clique;
    }
  }
}

}  // namespace croft

#include "logic/search/demanded_atoms.h"

#include <algorithm>

#include "logic/search/hard_search.h"

namespace croft {
namespace {

constexpr std::size_t kMostSearches = 200;
constexpr double kMostCopied = 2e8;  // clauses, in all: a second or so
constexpr HardSearchLimits kLimits{.conflicts = 1000, .steps = 1'000'000};

// The hard clauses and marks alone.
ClauseStore hard_part(const ClauseStore& store) {
  ClauseStore out;
  for (std::uint32_t a = 0; a < store.atoms(); ++a) out.helper_atom();
  std::vector<std::uint32_t> literals;
  for (std::size_t i = 0; i < store.clauses(); ++i) {
    if (!store.is_hard(i)) continue;
    literals.assign(store.literals(i).begin(), store.literals(i).end());
    out.add(literals, kHardWeight);
  }
  for (std::size_t b = 0; b < store.blocks(); ++b) {
    out.add_block(store.block(b).atoms, store.block(b).exactly_one);
  }
  return out;
}

}  // namespace

std::vector<bool> demanded_atoms(const ClauseStore& store, std::span<const std::uint32_t> atoms,
                                 std::span<const std::uint8_t> values,
                                 const std::function<bool()>& go_on) {
  std::vector<bool> demanded(atoms.size(), false), otherwise(atoms.size(), false);
  if (atoms.empty() || !go_on()) return demanded;
  const ClauseStore hard = hard_part(store);
  const auto most = static_cast<std::size_t>(kMostCopied / static_cast<double>(hard.clauses() + 1));
  std::size_t searches = 0;
  for (std::size_t i = 0; i < atoms.size() && searches < std::min(kMostSearches, most); ++i) {
    if (otherwise[i]) continue;
    if (!go_on()) break;
    ++searches;
    ClauseStore turned = hard;
    std::vector<std::uint32_t> literal{2 * atoms[i] + values[i]};
    turned.add(literal, kHardWeight);
    const HardSearch found = search_allowed_world(turned, kLimits, {}, go_on);
    demanded[i] = found.end == HardSearchEnd::none;
    if (found.end != HardSearchEnd::found) continue;
    for (std::size_t k = i; k < atoms.size(); ++k) {  // others that this world has otherwise
      if (found.values[atoms[k]] != values[k]) otherwise[k] = true;
    }
  }
  return demanded;
}

}  // namespace croft

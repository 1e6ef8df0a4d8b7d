#include "objective/graph/pieces.h"

#include <algorithm>
#include <limits>

namespace croft {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

void drop_empty(std::vector<FactorSet>& pieces) {
  std::erase_if(pieces, [](const FactorSet& each) { return each.empty(); });
}

}  // namespace

std::vector<FactorSet> pieces_with_observations(const FactorGraph& graph) {
  std::vector<FactorSet> pieces;
  std::vector<std::size_t> home(graph.variables(), kNone);  // the piece that ends in it
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto scope = graph.scope(f);
    if (scope.size() < 2) continue;
    // A factor that counts stays alone: with others there would be a number for each joint state.
    const bool counts = graph.potential(graph.potential_of(f)).kind == PotentialKind::cardinality;
    if (!counts && home[scope.back()] == kNone) home[scope.back()] = pieces.size();
    pieces.push_back({f});
  }
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto scope = graph.scope(f);
    if (scope.size() != 1) continue;
    std::size_t& at = home[scope[0]];
    if (at == kNone) {
      at = pieces.size();
      pieces.emplace_back();
    }
    pieces[at].push_back(f);
  }
  return pieces;
}

std::vector<FactorSet> pieces_of_blocks(const FactorGraph& graph,
                                        std::span<const std::vector<Variable>> blocks) {
  const FactorLists lists(graph);
  std::vector<FactorSet> pieces;
  std::vector<bool> taken(graph.factors(), false);
  std::vector<std::size_t> block_of(graph.variables(), kNone);  // the last that has it
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (const Variable v : blocks[b]) block_of[v] = b;
    FactorSet& piece = pieces.emplace_back();
    for (const Variable v : blocks[b]) {
      for (const Factor f : lists.of(v)) {
        if (taken[f] ||
            !std::ranges::all_of(graph.scope(f), [&](Variable u) { return block_of[u] == b; })) {
          continue;
        }
        taken[f] = true;
        piece.push_back(f);
      }
    }
  }
  for (Factor f = 0; f < graph.factors(); ++f) {
    if (!taken[f] && !graph.scope(f).empty()) pieces.push_back({f});
  }
  drop_empty(pieces);
  return pieces;
}

std::vector<std::vector<Variable>> blocks_of_all(const FactorGraph& graph,
                                                 std::vector<std::vector<Variable>> blocks) {
  std::vector<bool> in(graph.variables(), false);
  for (const auto& each : blocks) {
    for (const Variable v : each) in[v] = true;
  }
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (!in[v]) blocks.push_back({v});
  }
  return blocks;
}

}  // namespace croft

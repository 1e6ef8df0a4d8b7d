#include "inference/graph/search/counting_model.h"

#include <algorithm>
#include <utility>

#include "core/infinity.h"

namespace croft {
namespace {

constexpr std::size_t kMostClauses = 8;  // that a table is taken apart into

}  // namespace

CountingModel::CountingModel(const FactorGraph& graph) : tables_of(graph.variables()) {
  for (Variable v = 0; v < graph.variables(); ++v) {
    const std::size_t count = graph.states(v);
    states.push_back(count == 64 ? ~StateSet{0} : bit_of(static_cast<State>(count)) - 1);
  }
  for (Factor f = 0; f < graph.factors(); ++f) add_factor(graph, f);
}

void CountingModel::add_factor(const FactorGraph& graph, Factor f) {
  const auto scope = graph.scope(f);
  CountingTable table;
  std::size_t stride = 1;
  for (std::size_t k = scope.size(); k-- > 0; stride *= graph.states(scope[k])) {
    if (graph.states(scope[k]) < 2) continue;
    table.scope.push_back(scope[k]);
    table.strides.push_back(stride);
  }
  table.scores = graph.table(f);
  if (table.scope.empty()) {
    constant += table.scores[0];
    return;
  }
  const auto& scores = table.scores;
  const double high = *std::ranges::max_element(scores);
  const auto zeros = static_cast<std::size_t>(std::ranges::count(scores, -kInf));
  const bool alike = std::ranges::all_of(scores, [&](double x) { return x == -kInf || x == high; });
  if (alike && zeros < scores.size() && zeros <= kMostClauses) {
    constant += high;
    for (std::size_t k = 0; k < scores.size(); ++k) {
      if (scores[k] == -kInf) add_clause(table, k);
    }
    return;
  }
  const auto id = static_cast<std::uint32_t>(tables.size());
  for (const Variable v : table.scope) tables_of[v].push_back(id);
  tables.push_back(std::move(table));
}

void CountingModel::add_clause(const CountingTable& table, std::size_t joint) {
  for (std::size_t k = 0; k < table.scope.size(); ++k) {
    const Variable v = table.scope[k];
    const auto s = static_cast<State>(joint / table.strides[k] %
                                      static_cast<std::size_t>(std::popcount(states[v])));
    literals.push_back({v, states[v] & ~bit_of(s)});
  }
  clause_end.push_back(literals.size());
}

}  // namespace croft

#include "inference/graph/messages/shared_scores.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/infinity.h"

namespace croft {
namespace {

constexpr std::size_t kFew = 64;  // scores: a table of so many is gone through at once

bool is_mostly_impossible(std::span<const double> table) {
  return 4 * std::ranges::count(table, -kInf) >= 3 * std::ssize(table);
}

PotentialId add_possible(std::span<const double> table, FactorGraph& to) {
  std::vector<std::uint64_t> listed;
  std::vector<double> scores;
  for (std::uint64_t k = 0; k < table.size(); ++k) {
    if (table[k] == -kInf) continue;
    listed.push_back(k);
    scores.push_back(table[k]);
  }
  return to.add_sparse(listed, scores, -kInf);
}

enum class Store { as_it_is, potts, sparse };

// A table may be that of scopes of different shapes: of two variables with as many states, or not.
using Shape = std::pair<PotentialId, bool>;
Shape shape_of(const FactorGraph& graph, Factor f) {
  const auto scope = graph.scope(f);
  const bool square = scope.size() == 2 && graph.states(scope[0]) == graph.states(scope[1]);
  return {graph.potential_of(f), square};
}

Store way_to_store(const FactorGraph& graph, const Shape& shape, std::size_t states) {
  const auto numbers = graph.numbers(shape.first);
  if (graph.potential(shape.first).kind != PotentialKind::table || numbers.size() < kFew) {
    return Store::as_it_is;
  }
  if (shape.second && is_potts(numbers, states)) return Store::potts;
  return is_mostly_impossible(numbers) ? Store::sparse : Store::as_it_is;
}

PotentialId add(const FactorGraph& from, PotentialId id, Store way, FactorGraph& to) {
  const auto numbers = from.numbers(id);
  switch (way) {
    case Store::potts:
      return to.add_potts(numbers[0], numbers[1]);
    case Store::sparse:
      return add_possible(numbers, to);
    case Store::as_it_is:
      break;
  }
  return to.add_copy(from, id);
}

}  // namespace

bool is_potts(std::span<const double> table, std::size_t states) {
  if (states < 2) return false;
  const double equal = table[0], unequal = table[1];
  for (std::size_t i = 0; i < states; ++i) {
    for (std::size_t j = 0; j < states; ++j) {
      if (table[i * states + j] != (i == j ? equal : unequal)) return false;
    }
  }
  return true;
}

std::optional<FactorGraph> with_shared_scores(const FactorGraph& graph) {
  std::map<Shape, Store> ways;
  bool differs = false;
  for (Factor f = 0; f < graph.factors(); ++f) {
    const Shape shape = shape_of(graph, f);
    const auto [at, is_new] = ways.try_emplace(shape);
    if (!is_new) continue;
    const auto scope = graph.scope(f);
    at->second = way_to_store(graph, shape, scope.empty() ? 0 : graph.states(scope[0]));
    differs = differs || at->second != Store::as_it_is;
  }
  if (!differs) return std::nullopt;
  FactorGraph out;
  for (Variable v = 0; v < graph.variables(); ++v) out.add_variable(graph.states(v));
  std::map<Shape, PotentialId> added;
  for (Factor f = 0; f < graph.factors(); ++f) {
    const Shape shape = shape_of(graph, f);
    const auto [at, is_new] = added.try_emplace(shape);
    if (is_new) at->second = add(graph, shape.first, ways.at(shape), out);
    out.add_factor(graph.scope(f), at->second);
  }
  return out;
}

}  // namespace croft

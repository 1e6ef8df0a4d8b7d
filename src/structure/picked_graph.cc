#include "structure/picked_graph.h"

#include <algorithm>
#include <unordered_map>

#include "croft/core/error.h"
#include "structure/counting.h"
#include "structure/factor_numbers.h"

namespace croft {
namespace {

constexpr std::uint64_t kMostStatesOfAFactor = std::uint64_t{1} << 24;
constexpr std::uint64_t kFewStates = 64;  // of a factor that counts: a table is as cheap
constexpr Variable kKnown = 0xffffffff;

// What is left of a factor that counts counts on.
void pick_counting(const FactorGraph& from, Factor f, std::span<const State> known,
                   std::span<const Variable> rest, std::span<const std::size_t> slot,
                   PickedGraph& to) {
  std::vector<bool> keeps(from.scope(f).size(), false);
  for (const std::size_t k : slot) keeps[k] = true;
  const CountingSlice slice = add_slice(from, f, keeps, known, to.graph);
  const std::uint64_t first = from.potential(from.potential_of(f)).first + slice.first_number;
  for (std::size_t k = 0; k < to.graph.numbers(slice.id).size(); ++k) {
    to.source.push_back(first + k);
  }
  to.graph.add_factor(rest, slice.id);
}

// new_of(v): its number in the picked graph, kKnown.
template <class NewOf>
void pick_factor(const FactorGraph& from, Factor f, std::span<const State> known,
                 const NewOf& new_of, PickedGraph& to) {
  const std::span<const Variable> scope = from.scope(f);
  std::vector<Variable> rest;
  std::vector<std::size_t> slot;
  std::vector<State> at(scope.size());
  const bool counts = counts_states(from.potential(from.potential_of(f)).kind);
  std::uint64_t joint = 1;
  for (std::size_t k = 0; k < scope.size(); ++k) {
    const Variable v = new_of(scope[k]);
    if (v == kKnown) {
      at[k] = known[scope[k]];
      continue;
    }
    rest.push_back(v);
    slot.push_back(k);
    joint = joint > kMostStatesOfAFactor ? joint : joint * from.states(scope[k]);
    if (joint > kMostStatesOfAFactor && !counts) {
      throw Error("factor " + std::to_string(f) + " has more than " +
                  std::to_string(kMostStatesOfAFactor) +
                  " joint states of variables that are not known");
    }
  }
  if (counts && joint > kFewStates) return pick_counting(from, f, known, rest, slot, to);
  std::vector<double> scores;
  for (std::uint64_t i = 0; i < joint; ++i) {
    scores.push_back(from.score_of(f, at));
    to.source.push_back(number_of(from, f, at));
    for (std::size_t k = slot.size(); k-- > 0;) {
      if (++at[slot[k]] < from.states(scope[slot[k]])) break;
      at[slot[k]] = 0;
    }
  }
  to.graph.add_factor(rest, to.graph.add_table(scores));
}

}  // namespace

void PickedGraph::pick(const FactorGraph& from) {
  const std::span<double> numbers = graph.numbers();
  const std::span<const double> others = from.numbers();
  for (std::size_t k = 0; k < source.size(); ++k) {
    if (source[k] != kNoScore) numbers[k] = others[source[k]];
  }
}

void PickedGraph::add_back(std::span<const double> gradient, std::span<double> out) const {
  for (std::size_t k = 0; k < source.size(); ++k) {
    if (source[k] != kNoScore) out[source[k]] += gradient[k];
  }
}

PickedGraph restrict_to_known(const FactorGraph& graph, std::span<const State> known) {
  PickedGraph picked;
  std::vector<Variable> new_of(graph.variables(), kKnown);
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (known[v] != kUnobserved) continue;
    new_of[v] = picked.graph.add_variable(graph.states(v));
    picked.variable.push_back(v);
  }
  for (Factor f = 0; f < graph.factors(); ++f) {
    pick_factor(
        graph, f, known, [&](Variable v) { return new_of[v]; }, picked);
  }
  return picked;
}

PickedGraph restrict_to_block(const FactorGraph& graph, const FactorLists& factors,
                              std::span<const State> known, std::span<const Variable> free) {
  PickedGraph picked;
  std::unordered_map<Variable, Variable> new_of;
  std::vector<Factor> touched;
  for (const Variable v : free) {
    new_of[v] = picked.graph.add_variable(graph.states(v));
    picked.variable.push_back(v);
    touched.insert(touched.end(), factors.of(v).begin(), factors.of(v).end());
  }
  std::ranges::sort(touched);
  const auto tail = std::ranges::unique(touched);
  touched.erase(tail.begin(), tail.end());
  const auto new_number = [&](Variable v) {
    const auto found = new_of.find(v);
    return found == new_of.end() ? kKnown : found->second;
  };
  for (const Factor f : touched) pick_factor(graph, f, known, new_number, picked);
  return picked;
}

}  // namespace croft

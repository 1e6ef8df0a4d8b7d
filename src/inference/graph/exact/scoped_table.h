// Tables that know their variables, and the factors of a clique as such.  Internal to inference/.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "croft/structure/factor_graph.h"
#include "inference/graph/exact/clique_table.h"
#include "inference/graph/exact/clique_tree.h"

namespace croft {

// A table and its variables, in the order of a clique.
struct ScopedTable {
  std::vector<Variable> variables;
  Table table;
};

bool contains(const std::vector<Variable>& all, Variable v);
std::uint64_t joint_states(const FactorGraph& graph, std::span<const Variable> variables);
// The same where it may not fit an integer.
double count_states(const FactorGraph& graph, std::span<const Variable> variables);
// Those of `order` that are in `some`.
std::vector<Variable> in_order(const std::vector<Variable>& order,
                               const std::vector<Variable>& some);
// In parts with few joint states each.
std::vector<std::vector<Variable>> chunks(const FactorGraph& graph,
                                          const std::vector<Variable>& variables);

// visit(k, place) for each joint state k of `variables`, where place is that of the same states in
// a table over `scope`.
template <class Visit>
void for_places(const FactorGraph& graph, const std::vector<Variable>& variables,
                std::span<const Variable> scope, const Visit& visit) {
  std::vector<std::uint64_t> stride(variables.size(), 0);
  std::uint64_t size = 1;
  for (std::size_t k = scope.size(); k-- > 0;) {
    for (std::size_t at = 0; at < variables.size(); ++at) {
      if (variables[at] == scope[k]) stride[at] = size;
    }
    size *= graph.states(scope[k]);
  }
  std::vector<State> states(variables.size(), 0);
  std::uint64_t place = 0;
  const std::uint64_t count = joint_states(graph, variables);
  for (std::uint64_t i = 0; i < count; ++i) {
    visit(i, place);
    for (std::size_t k = variables.size(); k-- > 0;) {
      place += stride[k];
      if (++states[k] < graph.states(variables[k])) break;
      place -= stride[k] * graph.states(variables[k]);
      states[k] = 0;
    }
  }
}

// The part of a table where some variables are as in x.
ScopedTable slice(const FactorGraph& graph, const ScopedTable& from, std::span<const State> x,
                  const std::vector<bool>& known);

// The factors of a clique as a few tables: small ones joined, so that the clique's own table is
// multiplied with few.  The offset of one that allows nothing is -inf.
std::vector<ScopedTable> factor_tables(const FactorGraph& graph, const Clique& clique);
// The variables of these tables.
std::vector<std::vector<Variable>> factor_scopes(const FactorGraph& graph, const Clique& clique);

// Adds up to 1.
void to_probabilities(const Table& table, std::span<double> p);
// The first of the best, or one that is drawn.
std::uint64_t largest_of(const Table& table);
std::uint64_t drawn_from(const Table& table, Random& random, std::vector<double>& p);

}  // namespace croft

// Clauses and tables that a counting search goes through.  Internal to inference/;
// docs/math/graph_exact.md section 11.
//
// A factor whose scores are equal but for a few zeros is a set of clauses; all others are tables.
// Variables of one state are in neither.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "croft/structure/factor_graph.h"

namespace croft {

using StateSet = std::uint64_t;  // a bit for each state of a variable

inline bool is_single(StateSet s) { return (s & (s - 1)) == 0; }
inline State lowest_state(StateSet s) { return static_cast<State>(std::countr_zero(s)); }
inline StateSet bit_of(State s) { return StateSet{1} << s; }

struct StateLiteral {  // true where x_v is in `states`
  Variable v;
  StateSet states;
};

struct CountingTable {
  std::vector<Variable> scope;
  std::vector<std::size_t> strides;
  std::vector<double> scores;
};

struct CountingModel {
  // REQUIRES: why_no_counting(graph) is empty.
  explicit CountingModel(const FactorGraph& graph);

  std::size_t clauses() const { return clause_end.size(); }
  std::span<const StateLiteral> clause(std::uint32_t c) const {
    const std::size_t begin = c == 0 ? 0 : clause_end[c - 1];
    return std::span(literals).subspan(begin, clause_end[c] - begin);
  }

  double constant = 0;                  // log of a factor of Z
  std::vector<StateSet> states;         // [variables] all that they have
  std::vector<StateLiteral> literals;   // a clause is true where one of its is
  std::vector<std::size_t> clause_end;  // [clauses]
  std::vector<CountingTable> tables;
  std::vector<std::vector<std::uint32_t>> tables_of;  // [variables]

 private:
  void add_factor(const FactorGraph& graph, Factor f);
  void add_clause(const CountingTable& table, std::size_t joint);
};

// Goes through the joint states of a table that are left: visit(score, states), until it says
// false.
//   left : [variables];  at : scratch
template <class Visit>
void for_each_left(const CountingTable& table, std::span<const StateSet> left,
                   std::vector<State>& at, const Visit& visit) {
  const std::size_t n = table.scope.size();
  std::size_t index = 0;
  at.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    at[k] = lowest_state(left[table.scope[k]]);
    index += at[k] * table.strides[k];
  }
  for (;;) {
    if (!visit(table.scores[index], std::span<const State>(at))) return;
    std::size_t k = 0;
    for (; k < n; ++k) {
      const StateSet more = left[table.scope[k]] & ~((StateSet{2} << at[k]) - 1);
      index -= at[k] * table.strides[k];
      at[k] = lowest_state(more != 0 ? more : left[table.scope[k]]);
      index += at[k] * table.strides[k];
      if (more != 0) break;
    }
    if (k == n) return;
  }
}

}  // namespace croft

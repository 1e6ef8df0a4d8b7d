// Tables in which few scores differ, stored by what differs.
#pragma once
#include <cstddef>
#include <optional>
#include <span>

#include "croft/structure/factor_graph.h"

namespace croft {

// The same graph, with another kind of potential where messages cost less by it; nothing where
// there is none:
//   potts  : a table of two variables with one score where they are equal and one where they are
//   not;
//            its messages cost the number of states, and not their square
//   sparse : a table of which at least three quarters are impossible; they cost as much as what is
//   left
// Tables of less than 64 scores stay as they are.  Variables and factors keep their numbers.  Cost:
// one look at each table.
std::optional<FactorGraph> with_shared_scores(const FactorGraph& graph);

// Whether table[states][states] has one score on its diagonal and one elsewhere.
bool is_potts(std::span<const double> table, std::size_t states);

}  // namespace croft

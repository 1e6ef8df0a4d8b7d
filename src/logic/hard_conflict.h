// Hard clauses that contradict each other by what follows step by step.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "logic/clause_store.h"

namespace croft {

// Unit propagation: where all but one literal of a hard clause are false, the last one is true; a
// mark of arguments that has a true atom makes its others false.  Returns clauses of which some
// atom would have to be true and false (those that the contradiction follows from); empty where
// there is none, which does not prove that there is an allowed world.  Linear in the literals of
// the hard clauses, times the length of these.
std::vector<std::size_t> hard_conflict(const ClauseStore& store);

// A smaller set of clauses of such a conflict, of which none can be left out, as far as steps tell;
// groups of clauses are left out first.
//   group_of : of a clause, such as its rule
std::vector<std::size_t> least_conflict(const ClauseStore& store, std::vector<std::size_t> conflict,
                                        const std::function<std::size_t(std::size_t)>& group_of);

// What the hard clauses and the marks of arguments leave of each atom, likewise step by step.  The
// store has no conflict.
//   returns: [atoms] 0 or 1 where it must be so, kUndecided
inline constexpr std::uint8_t kUndecided = 2;
std::vector<std::uint8_t> hard_consequences(const ClauseStore& store);

}  // namespace croft

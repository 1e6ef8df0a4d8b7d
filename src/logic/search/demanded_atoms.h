// Atoms that are the same in every allowed world.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "logic/clause_store.h"

namespace croft {

// True for each atom whose value hard clauses and marks of arguments demand, by a search
// for a world in which the atom is otherwise.  False where limits end a search, and for all atoms
// beyond them.
//   atoms  : numbers
//   values : [atoms] 0 or 1, in the order of the list
//   go_on  : asked before each search
std::vector<bool> demanded_atoms(const ClauseStore& store, std::span<const std::uint32_t> atoms,
                                 std::span<const std::uint8_t> values,
                                 const std::function<bool()>& go_on);

}  // namespace croft

// Arguments with ! or !?: of the ground atoms that differ in these alone, one is true, or at most
// one.
#pragma once
#include "logic/atom_space.h"
#include "logic/clause_store.h"
#include "sql/logic/ground_watch.h"

namespace croft {

// Adds the blocks of all predicates.  Throws Error where the evidence leaves no choice, or has two
// where one is allowed.
void ground_blocks(const AtomSpace& space, GroundWatch& watch, ClauseStore& store);

}  // namespace croft

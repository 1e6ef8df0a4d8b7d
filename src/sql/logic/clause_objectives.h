// What weights of ground clauses are learnt by: the probability of a world that is known.
//
// Weights are those of units; a clause's weight is the sum of its shares (ClauseStore::for_shares).
// docs/math/markov_logic.md section 8.
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "croft/optimize/function.h"
#include "logic/clause_store.h"

namespace croft {

// - sum over atoms and marks of  log p(atom | all others), the other values of a mark together.
// Convex.
//   world : [atoms] keeps all hard clauses and marks; Error where it does not
//   units : weights
// Time per evaluation in proportion to the changes of a world by one atom, times their units.
std::unique_ptr<BatchFunction> clause_pseudo_likelihood(const ClauseStore& store,
                                                        std::span<const std::uint8_t> world,
                                                        std::size_t units);

// - log p(world), by a junction tree.  Convex.  Keeps the store by reference and changes its
// weights.  Throws Error where the tree takes more than `memory` bytes.
std::unique_ptr<BatchFunction> clause_likelihood(ClauseStore& store,
                                                 std::span<const std::uint8_t> world,
                                                 std::size_t units, double memory);

}  // namespace croft

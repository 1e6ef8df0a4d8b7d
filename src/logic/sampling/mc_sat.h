// Probabilities of atoms by slice sampling: MC-SAT (Poon & Domingos 2006).
//
// Chains from allowed worlds of their own, each a SliceSampler.  docs/math/markov_logic.md
// section 7.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "logic/clause_store.h"
#include "logic/sampling/sample_run.h"

namespace croft {

// A world that keeps all hard clauses and marks.  Throws Error where none is found, and what
// fail_stopped() does where go_on ends the search.
std::vector<std::uint8_t> allowed_world(const ClauseStore& store, std::uint64_t seed,
                                        const std::function<bool(std::size_t)>& go_on = {});
std::uint64_t seed_of_chain(std::uint64_t seed, std::size_t chain);

// Throws Error where no allowed world is found, and where it is stopped before it has counted any.
//   go_on : asked now and then with the samples so far; false ends it
McSatResult mc_sat(const ClauseStore& store, const McSatOptions& options = {},
                   const std::function<bool(std::size_t)>& go_on = {});

}  // namespace croft

// Probabilities of atoms by slice sampling, without the clauses of atoms that are held false.
#pragma once
#include <cstddef>
#include <functional>

#include "logic/sampling/mc_sat.h"
#include "sql/logic/lazy_grounder.h"

namespace croft {

// MC-SAT's chains, each of which grounds the clauses of the atoms that may turn true in a step:
// docs/math/markov_logic.md section 7.  Exact in the same sense as mc_sat().
//   store   : whose atoms are asked for
//   options : of grounding, which memory and Ctrl-C end
McSatResult lazy_mc_sat(const AtomSpace& space, const ClauseStore& store,
                        const GroundOptions& options, const McSatOptions& how,
                        const std::function<bool(std::size_t)>& go_on);

}  // namespace croft

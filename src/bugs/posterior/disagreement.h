// Chains that have not found the same values.
#pragma once
#include <string>
#include <vector>

#include "bugs/sampling.h"

namespace croft::bugs {

// A warning, or none.  Names the traces whose R-hat is above 1.2, and the means of the chains of
// the worst: one that has run away, or stays in another mode, makes the mean of all wrong.  Runs of
// fewer than 100 draws a chain are too short to tell.
std::vector<std::string> disagreement(const std::vector<Trace>& traces);

}  // namespace croft::bugs

// Chains that have not found the same values.
#pragma once
#include <string>
#include <vector>

#include "bugs/sampling.h"

namespace croft::bugs {

// Warnings, or none.  One names the traces of which no chain moves and the values differ.  One
// names those whose R-hat is above 1.2, and the means of the chains of the worst: a chain that has
// run away, or stays in another mode, makes the mean of all wrong.  Runs of fewer than 100 draws a
// chain are too short for that.
std::vector<std::string> disagreement(const std::vector<Trace>& traces);

}  // namespace croft::bugs

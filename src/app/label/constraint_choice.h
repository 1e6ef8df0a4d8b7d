// A constraint by name, or by the file that says it.
#pragma once
#include <span>
#include <string>

#include "croft/structure/chain_constraint.h"

namespace croft {

// choice : "bio", "bioes", or the path of a constraint file (one called bio is ./bio)
// Throws Error where the labels do not fit bio or bioes, or the file cannot be read; InputError as
// read_constraint().
ChainConstraint choose_constraint(const std::string& choice, std::span<const std::string> names);

}  // namespace croft

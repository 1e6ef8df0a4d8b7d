// The types of what rules name.
#pragma once
#include "logic/network.h"

namespace croft {

// Gives types to the variables of the network's rules and to the arguments of predicates that are
// not declared, and notes the constants of rules in their types.  Throws InputError for a variable
// of two types, or of which nothing says the type.
void settle_types(LogicNetwork& network);

}  // namespace croft

// A Markov logic network as a file (.mln) that network_parser reads.
#pragma once
#include <string>

#include "logic/network.h"

namespace croft {

// Types, predicates, functions and rules, with all brackets; an implication is the disjunction that
// it means.  Weights keep all their digits.
std::string write_network(const LogicNetwork& network);

}  // namespace croft

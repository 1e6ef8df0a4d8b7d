// Files of Markov logic (.mln), as docs/math/markov_logic.md section 2 has their grammar.
#pragma once
#include <string>

#include "logic/logic_tokens.h"
#include "logic/network.h"

namespace croft {

// Throws InputError (file, line, column, what is there and what to write) for what is no statement,
// a name that is used in two ways, a number of arguments or a type that does not fit, a variable
// whose type nothing says, and for signs that the dialect does not have.
LogicNetwork parse_network(const LogicTokens& tokens, LogicDialect dialect = LogicDialect::any);
// A file, with those that it includes, whose names are relative to it.
LogicNetwork read_network(const std::string& path, LogicDialect dialect = LogicDialect::any);

}  // namespace croft

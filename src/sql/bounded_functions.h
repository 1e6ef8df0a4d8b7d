// SQLite looks at the clock and at interruptions between its steps only.  A function is one step,
// and some take a time that grows as the product of their arguments' lengths.
#pragma once

#include "sql/sqlite_calls.h"

namespace croft {

// Puts SQLite's own functions of this sort behind a check of their arguments, on a connection:
//   replace, instr, trim, ltrim, rtrim, json_patch : the product of the first two's bytes <= 10^8
//   printf, format : no width or precision above 10,000, none that is an argument (*)
// A call beyond that is an error of its query.  A call within takes less than a second.
// Returns what computes them; it must live as long as the connection is used.
SqliteHandle bound_functions(sqlite3* connection);

}  // namespace croft

// BIF, the interchange format of Bayesian networks as bnlearn's repository writes it.
//
//   network example { }
//   variable rain { type discrete [ 2 ] { yes, no }; }
//   variable grass { type discrete [ 2 ] { wet, dry }; }
//   probability ( rain ) { table 0.2, 0.8; }
//   probability ( grass | rain ) {
//     (yes) 0.9, 0.1;          or  table 0.9, 0.1, 0.1, 0.9;  of all: the last of the names in the
//     (no) 0.1, 0.9;           parentheses changes fastest, the first one slowest
//   }
//
// `default` gives the row of all parents' states that no line names.  Comments are // and /* */,
// `property …;` is skipped, names may stand in double quotes.
#pragma once
#include <string>

#include "croft/data/graph_file.h"

namespace croft {

// A directed graph with names; factor f is that of the f-th probability block.  Throws InputError
// (file, line, column) for text that is no such network: among others for a variable with two
// blocks or none, for a row given twice or not at all, and for a row whose sum is further than 0.01
// from 1.
GraphFile read_bif(LineReader lines);

// The text of a directed graph; without names its variables are v0, v1 … and their states s0, s1 …
// Throws UsageError for an undirected graph and where a variable is not the last of exactly one
// scope, Error for names that the format cannot write.
std::string write_bif(const GraphFile& file);

}  // namespace croft

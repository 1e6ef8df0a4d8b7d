// libDAI's format of factor graphs, `.fg`.
//
//   # a comment
//   1             factors, then of each, after an empty line:
//
//   2             variables of its scope
//   0 7           their labels
//   2 3           their states
//   6             entries that follow
//   0 0.5         joint state (the FIRST variable changes fastest), weight >= 0
//   …             what is not listed weighs 0
//
// Line ends mean nothing but to comments.  Labels need not be 0, 1, 2 …: variables are numbered in
// the order of their labels, which are their names where they are not the numbers.
#pragma once
#include "croft/data/graph_file.h"

namespace croft {

// Throws InputError (file, line, column) for what is no such graph, and for an entry listed twice.
GraphFile read_fg(LineReader lines);

}  // namespace croft

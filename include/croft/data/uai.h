// The formats of the UAI inference competitions: graphs, evidence.
//
//   MARKOV          or BAYES, where each table is that of its last variable given the others
//   2               variables
//   2 3             states of each
//   1               factors
//   2 0 1           scope: how many, which
//   6               table: how many numbers, which (the last variable changes fastest)
//   1 2 3 4 5 6
//
// Line ends mean nothing.  Numbers are weights >= 0, which become log-scores; in LG, the same
// format otherwise, they are natural logarithms of weights, -inf for the weight 0.
#pragma once
#include <string>

#include "croft/data/graph_file.h"
#include "croft/data/line_reader.h"

namespace croft {

// Throws InputError (file, line, column) for text that is no such graph.  Memory grows with what
// was read, not with what a count promises.
GraphFile read_uai(LineReader lines);
GraphFile read_lg(LineReader lines);

// The text of a graph; names are lost.  Numbers have as many digits as give back the same double.
// Throws Error for a factor of more than 2^28 joint states.  write_uai also throws it for a score
// whose weight is 0 or infinity as a double: LG can write those.
std::string write_uai(const GraphFile& file);
std::string write_lg(const GraphFile& file);

// Evidence:  n, then n pairs of a variable and its state; or 1, line end, and the same (one
// sample). An empty file observes nothing.  Throws InputError for a variable or state that `graph`
// does not have, for a variable that comes twice, and for more than one sample.
Evidence read_uai_evidence(LineReader lines, const FactorGraph& graph);

}  // namespace croft

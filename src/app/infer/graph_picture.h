// A factor graph to look at.
//
// Directed graphs have an arrow from each parent; others a line for each factor of two variables
// and a square for each of more.  Factors of one variable are not drawn.  What is observed is grey.
#pragma once
#include <span>
#include <string>

#include "croft/data/graph_file.h"

namespace croft {

// For Graphviz: `dot -Tsvg`, `neato -Tpdf` …
std::string graph_dot(const GraphFile& file, std::span<const State> evidence = {});

// A drawing that stands for itself.  Distances on paper are near those in the graph (stress
// majorisation, Gansner, Koren & North 2004).  Throws UsageError for more than 1000 variables and
// squares: O(their number squared).  The same graph gives the same bytes.
std::string graph_svg(const GraphFile& file, std::span<const State> evidence = {});

}  // namespace croft

// A factor graph to look at.
//
// Directed graphs have an arrow from each parent; others a line for each factor of two variables
// and a square for each of more.  Factors of one variable are not drawn.  What is observed is grey.
// Decisions are boxes, utilities diamonds.
#pragma once
#include <span>
#include <string>

#include "croft/data/graph_file.h"
#include "croft/inference/graph_result.h"

namespace croft {

// For Graphviz: `dot -Tsvg`, `neato -Tpdf` …
std::string graph_dot(const GraphFile& file, std::span<const State> evidence = {});

// A drawing that stands for itself.  A directed graph stands in layers, causes above effects, or as
// the file says where its variables stand.  Of others distances on paper are near those in the
// graph (stress majorisation, Gansner, Koren & North 2004).  Throws UsageError for more than 1000
// variables and squares: O(their number squared).  The same graph gives the same bytes.
//   bars : probabilities of states, [variables][states], drawn in the nodes; empty: none
std::string graph_svg(const GraphFile& file, std::span<const State> evidence = {},
                      const VariableMarginals& bars = {});
// The same as a page that stands for itself.
std::string graph_html(const GraphFile& file, std::span<const State> evidence = {},
                       const VariableMarginals& bars = {});

}  // namespace croft

// A factor graph as a file has it, with names where the format has them.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "croft/data/line_reader.h"
#include "croft/structure/factor_graph.h"

namespace croft {

struct GraphNames {
  std::vector<std::string> variables;            // [variables]; empty: the file has none
  std::vector<std::vector<std::string>> states;  // [variables][states]; likewise
};

struct GraphFile {
  FactorGraph graph;
  bool directed = false;  // factor f is p(last variable of its scope | the others)
  GraphNames names;
};

// What people call a variable and a state: the name, or else the number from 0.
std::string variable_name(const GraphNames& names, Variable v);
std::string state_name(const GraphNames& names, Variable v, State s);

enum class GraphFormat { uai, lg, fg, bif };
GraphFormat graph_format(std::string_view name);  // throws UsageError that lists the names

// Reads a file ("-": standard input).  Without a format its extension decides (.uai, .LG, .fg, .bif
// in letters of any case), and where that says nothing, its first word.  Throws InputError (file,
// line, column) for text that is no graph of the format, Error for a file that cannot be read.
GraphFile read_graph(const std::string& path, std::optional<GraphFormat> format = {});
GraphFile read_graph(LineReader lines, GraphFormat format);

// The variable of a name or a number; UsageError where there is none.
Variable find_variable(const GraphFile& file, std::string_view text);
// Adds "VARIABLE=STATE" to the evidence.  Throws UsageError for any other text, for names and
// numbers that the graph does not have, and for a variable that is already known to be in another
// state.
void observe(const GraphFile& file, std::string_view text, Evidence& evidence);

}  // namespace croft

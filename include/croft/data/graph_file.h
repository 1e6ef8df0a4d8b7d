// A factor graph as a file has it, with names where the format has them.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/message.h"
#include "croft/data/line_reader.h"
#include "croft/structure/factor_graph.h"
#include "croft/structure/influence_diagram.h"

namespace croft {

struct GraphNames {
  std::vector<std::string> variables;            // [variables]; empty: the file has none
  std::vector<std::vector<std::string>> states;  // [variables][states]; likewise
};

struct GraphPlace {  // on paper, in the units of the file; y grows downwards
  double x = 0, y = 0;
};

struct GraphFile {
  FactorGraph graph;
  bool directed = false;  // factor f is p(last variable of its scope | the others)
  GraphNames names;
  // Of an influence diagram, which is directed.
  std::vector<GraphDecision> decisions = {};
  std::vector<GraphUtility> utilities = {};
  std::vector<GraphPlace> places = {};  // [variables]; empty unless the file has one for each
  std::vector<Message> notes = {};      // sentences: what is not as the file has it
};

// What people call a variable and a state: the name, or else the number from 0.
std::string variable_name(const GraphNames& names, Variable v);
std::string state_name(const GraphNames& names, Variable v, State s);

enum class GraphFormat { uai, lg, fg, bif, xmlbif, net, xdsl };
GraphFormat graph_format(std::string_view name);  // throws UsageError that lists the names
std::string_view graph_formats();                 // the names, for help and messages

// Whether a file is one of a Bayesian network: by its extension (.bif, .xmlbif, .net, .xdsl), or by
// how it begins (.xml, other names).  False where it cannot be read.
bool is_network_file(const std::string& path);

// Reads a file ("-": standard input).  Without a format its extension decides (.uai, .LG, .fg,
// .bif, .xmlbif, .net, .xdsl in letters of any case), and where that says nothing, how it begins.
// Throws InputError (file, line, column) for text that is no graph of the format, Error for a file
// that cannot be read.
GraphFile read_graph(const std::string& path, std::optional<GraphFormat> format = {});
GraphFile read_graph(LineReader lines, GraphFormat format);

// The variable of a name or a number; UsageError where there is none.
Variable find_variable(const GraphFile& file, std::string_view text);
// The state of a name or a number; none where there is none.
std::optional<State> find_state(const GraphFile& file, Variable v, std::string_view text);
// Adds "VARIABLE=STATE" to the evidence.  Throws UsageError for any other text, for names and
// numbers that the graph does not have, and for a variable that is already known to be in another
// state.
void observe(const GraphFile& file, std::string_view text, Evidence& evidence);

// A finding that leaves doubt: numbers in proportion to p(finding | state).
struct SoftFinding {
  Variable variable = 0;
  std::vector<double> likelihoods;  // [states], >= 0, one of them > 0
};
// "VARIABLE=0.3:0.7", a likelihood for each state; none where the text is no such finding.  Throws
// UsageError for another number of likelihoods than states, and for what is no likelihood.
std::optional<SoftFinding> soft_finding(const GraphFile& file, std::string_view text);
// "0.3:0.7" of a variable; UsageError likewise.
SoftFinding soft_finding_of(const GraphFile& file, Variable v, std::string_view likelihoods);
// The graph with a factor more for each of them: Z is then the sum of p(x) times the likelihoods.
FactorGraph with_findings(const FactorGraph& graph, const std::vector<SoftFinding>& findings);

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
// names may stand in double quotes.  `property position = (x, y);` of a variable is its place;
// other properties are skipped.  In JavaBayes' dialect (0.15) the | may be missing, so that the
// first name is the variable and the others are its parents, and -1 is a number that is not given.

// A directed graph with names; factor f is that of the f-th probability block.  Throws InputError
// (file, line, column) for text that is no such network: among others for a variable with two
// blocks or none, for a row given twice or not at all, and for a row whose sum is further than 0.01
// from 1.  Rows that are nearer are divided by their sums, and the notes say so.
GraphFile read_bif(LineReader lines);

// The text of a directed graph; without names its variables are v0, v1 … and their states s0, s1 …
// Throws UsageError for an undirected graph and where a variable is not the last of exactly one
// scope, Error for names that the format cannot write.
std::string write_bif(const GraphFile& file);

// Formats of Bayesian networks and influence diagrams that other programs write.  Rows that are
// rounded are treated as those of BIF.  Factor f is that of the f-th chance node.  All throw
// InputError (file, line) for text that is no such network.
//
// XMLBIF 0.3, of JavaBayes, Weka and others: the variable's own state changes fastest.  Document
// types that define entities are refused.
GraphFile read_xmlbif(LineReader lines);
// Hugin's .net: discrete nodes, decisions, utilities; tables as numbers.
GraphFile read_net(LineReader lines);
// GeNIe's .xdsl: cpt, deterministic, noisymax (made a table), decision, utility, and sums of
// utilities (mau).
GraphFile read_xdsl(LineReader lines);

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

// Throws InputError (file, line, column) for what is no such graph, and for an entry listed twice.
GraphFile read_fg(LineReader lines);

}  // namespace croft

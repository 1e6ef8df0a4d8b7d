// Tables of states: a column for each variable of a graph, a row for each case.
//
//   smoke,lung,xray          the header: names of variables, in any order
//   yes,no,yes               names of states
//   no,,no                   an empty cell: not known
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "croft/data/graph_file.h"
#include "croft/data/line_reader.h"

namespace croft {

struct StateRowsOptions {
  char delimiter = ',';
  std::vector<std::string> missing = {};  // cells that say nothing, as does the empty one
};

// visit(row [variables]) for each row, kUnobserved where nothing is known: of variables without a
// column, always.  Names are the graph's, or numbers from 0 where it has none; blanks around a cell
// mean nothing.  Returns the number of rows.  Throws InputError (file, line, column) for a column
// that is no variable or is there twice, a cell that is no state, a row of another length, and a
// file without a row.
std::size_t read_state_rows(LineReader lines, const GraphFile& net, const StateRowsOptions& options,
                            const std::function<void(std::span<const State> row)>& visit);

}  // namespace croft

// Tables of states: a column for each variable of a graph, a row for each case.
//
//   smoke,lung,xray          the header: names of variables, in any order
//   yes,no,yes               names of states
//   no,,no                   an empty cell: not known
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "croft/data/graph_file.h"
#include "croft/data/line_reader.h"
#include "data/csv.h"

namespace croft {

struct StateRowsOptions {
  char delimiter = CsvRecordReader::kByName;
  std::vector<std::string> missing = {};  // cells that say nothing, as does the empty one
  bool empty_lines = false;               // where there is one column, they are rows, too
};

// Row by row, as they come: a pipe is not read ahead.
class StateRowReader {
 public:
  // Reads the header.  `net` is kept by reference.  Errors as of read_state_rows().
  StateRowReader(LineReader lines, const GraphFile& net, const StateRowsOptions& options);

  // False at the end.  With `soft`, a cell may be likelihoods, "0.3:0.7", which go there; it is
  // cleared first.
  bool next(std::vector<State>& row, std::vector<SoftFinding>* soft = nullptr);
  // Of the row that next() gave last.
  Location location() const { return {records_.name(), record_.line()}; }

 private:
  using Names = std::map<std::string, std::uint32_t, std::less<>>;
  static std::string list_of(const Names& names);
  void read_header();
  State state_in(std::size_t k, std::vector<SoftFinding>* soft) const;
  SoftFinding finding_in(std::size_t k, std::string_view cell) const;

  CsvRecordReader records_;
  const GraphFile& net_;
  const StateRowsOptions options_;
  CsvRecord record_;
  std::vector<Variable> variable_;  // [columns]
  std::vector<Names> states_;       // [columns]
};

// visit(row [variables]) for each row, kUnobserved where nothing is known: of variables without a
// column, always.  Names are the graph's, or numbers from 0 where it has none; blanks around a cell
// mean nothing.  Returns the number of rows.  Throws InputError (file, line, column) for a column
// that is no variable or is there twice, a cell that is no state, a row of another length, and a
// file without a row.
std::size_t read_state_rows(LineReader lines, const GraphFile& net, const StateRowsOptions& options,
                            const std::function<void(std::span<const State> row)>& visit);

}  // namespace croft

// Tables of cases from which a network is learnt: columns are its variables, cells their states.
//
//   rain,grass
//   yes,wet
//   ,dry
//
// States are all cells of a column, numbers in the order of their values, others in that of their
// bytes.  An empty cell, and each of StateRowsOptions::missing, is not known.
#pragma once
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "croft/data/graph_file.h"
#include "data/csv.h"
#include "data/settings/state_rows.h"

namespace croft {

struct StateTable {
  GraphNames names;
  std::vector<std::vector<State>> rows;  // [cases][variables]; kUnobserved: not known

  GraphFile unconnected() const;  // its variables, uniform tables without parents
};
// The same variables and states, without an edge.
GraphFile unconnected(const GraphNames& names);

// Collects files one after the other: the first has the columns, others some of these in any order.
class StateTableReader {
 public:
  static constexpr std::size_t kMostStates = 1000;  // of a variable

  explicit StateTableReader(StateRowsOptions options) : options_(std::move(options)) {}
  // Throws InputError (file, line, column) for bad CSV, a column without a name, two of one name or
  // that the first file does not have, rows of another length, a column of too many different
  // cells, and for a file without rows.
  void read(LineReader lines);
  // Throws InputError for a column without a single value.
  StateTable table() &&;

 private:
  struct Column {
    std::string name;
    std::unordered_map<std::string, State> states;  // in the order of their first cells
  };
  std::vector<std::size_t> columns_of_header(const std::string& file, const CsvRecord& header);
  State state_of(Column& column, std::string_view cell, const Location& where);

  StateRowsOptions options_;
  std::vector<Column> columns_;
  std::vector<std::vector<State>> rows_;
  std::string first_file_;
};

}  // namespace croft

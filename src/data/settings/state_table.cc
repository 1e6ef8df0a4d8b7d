#include "data/settings/state_table.h"

#include <algorithm>
#include <cmath>

#include "core/parse_number.h"
#include "croft/core/error.h"
#include "data/cell_count.h"
#include "data/checks.h"

namespace croft {
namespace {

// Numbers by value, before all other texts; by bytes where that does not decide.
bool state_before(const std::string& a, const std::string& b) {
  double x = 0, y = 0;
  const bool a_number = parse_number(a, x) == NumberKind::finite;
  const bool b_number = parse_number(b, y) == NumberKind::finite;
  if (a_number != b_number) return a_number;
  return a_number && x != y ? x < y : a < b;
}

}  // namespace

GraphFile unconnected(const GraphNames& names) {
  GraphFile net;
  net.directed = true;
  net.names = names;
  for (const auto& states : names.states) {
    const Variable v = net.graph.add_variable(states.size());
    const auto count = static_cast<double>(states.size());
    net.graph.add_factor({v}, net.graph.add_table(std::vector(states.size(), -std::log(count))));
  }
  return net;
}

GraphFile StateTable::unconnected() const { return croft::unconnected(names); }

std::vector<std::size_t> StateTableReader::columns_of_header(const std::string& file,
                                                             const CsvRecord& header) {
  const bool first = columns_.empty();
  if (first) first_file_ = file;
  std::vector<std::size_t> at;
  for (std::size_t k = 0; k < header.size(); ++k) {
    const Location where = header.location(file, k);
    const std::string name(without_blanks(header[k]));
    if (name.empty()) {
      throw InputError(where, "a column without a name", header[k],
                       "the first line is the header: names of variables");
    }
    const auto found = std::ranges::find(columns_, name, &Column::name);
    const auto number = static_cast<std::size_t>(found - columns_.begin());
    if (first ? found != columns_.end() : std::ranges::find(at, number) != at.end()) {
      throw InputError(where, "two columns of one name", name, "leave out one of them");
    }
    if (!first && found == columns_.end()) {
      throw InputError(where, "a column that " + first_file_ + " does not have", name,
                       "the first file has all variables");
    }
    if (first) columns_.push_back({name, {}});
    at.push_back(number);
  }
  return at;
}

State StateTableReader::state_of(Column& column, std::string_view cell, const Location& where) {
  if (cell.empty() || std::ranges::find(options_.missing, cell) != options_.missing.end()) {
    return kUnobserved;
  }
  const auto next = static_cast<State>(column.states.size());
  const auto [found, is_new] = column.states.try_emplace(std::string(cell), next);
  if (is_new && next == kMostStates) {
    throw InputError(where,
                     "column " + in_quotes(column.name) + " has more than " +
                         std::to_string(kMostStates) + " different values",
                     cell, "a network has a few states for each variable: put numbers into bins");
  }
  return found->second;
}

void StateTableReader::read(LineReader lines) {
  CsvRecordReader records(std::move(lines), options_.delimiter);
  CsvRecord record;
  if (!records.next(record)) {
    throw InputError({records.name()}, "an empty file", "",
                     "the first line is the header: names of variables");
  }
  const std::vector<std::size_t> at = columns_of_header(records.name(), record);
  const std::size_t before = rows_.size();
  while (records.next(record)) {
    if (record.size() != at.size()) {
      throw InputError(
          {records.name(), record.line()},
          cell_count(record.size()) + " where the header has " + std::to_string(at.size()),
          record[0], "give every row a cell for each column; empty: not known");
    }
    std::vector<State>& row = rows_.emplace_back(columns_.size(), kUnobserved);
    for (std::size_t k = 0; k < at.size(); ++k) {
      row[at[k]] =
          state_of(columns_[at[k]], without_blanks(record[k]), record.location(records.name(), k));
    }
  }
  if (rows_.size() > before) return;
  throw InputError({records.name()}, "a header, and no row below it", "",
                   "check that what wrote the file succeeded");
}

StateTable StateTableReader::table() && {
  StateTable table;
  std::vector<std::vector<State>> renumbered;
  for (const Column& column : columns_) {
    if (column.states.empty()) {
      throw InputError({first_file_}, "a column without a value in any row", column.name,
                       "leave the column out");
    }
    std::vector<std::string> states;
    for (const auto& [state, number] : column.states) states.push_back(state);
    std::ranges::sort(states, state_before);
    std::vector<State>& to = renumbered.emplace_back(states.size());
    for (State s = 0; s < states.size(); ++s) to[column.states.at(states[s])] = s;
    table.names.variables.push_back(column.name);
    table.names.states.push_back(std::move(states));
  }
  for (std::vector<State>& row : rows_) {
    for (Variable v = 0; v < row.size(); ++v) {
      if (row[v] != kUnobserved) row[v] = renumbered[v][row[v]];
    }
  }
  table.rows = std::move(rows_);
  return table;
}

}  // namespace croft

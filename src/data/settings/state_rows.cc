#include "data/settings/state_rows.h"

#include <algorithm>

#include "croft/core/error.h"
#include "data/cell_count.h"
#include "data/checks.h"

namespace croft {

// "a", "b" and 7 more
std::string StateRowReader::list_of(const Names& names) {
  constexpr std::size_t kShown = 10;
  std::string list;
  std::size_t shown = 0;
  for (const auto& [name, number] : names) {
    if (shown++ == kShown) return list + " and " + std::to_string(names.size() - kShown) + " more";
    list += (list.empty() ? "" : ", ") + in_quotes(name);
  }
  return list;
}

StateRowReader::StateRowReader(LineReader lines, const GraphFile& net,
                               const StateRowsOptions& options)
    : records_(std::move(lines), options.delimiter), net_(net), options_(options) {
  if (!records_.next(record_)) {
    throw InputError({records_.name()}, "an empty file", "",
                     "the first line is the header: names of variables");
  }
  read_header();
  if (options_.empty_lines && variable_.size() == 1) records_.keep_empty_lines();
}

bool StateRowReader::next(std::vector<State>& row, std::vector<SoftFinding>* soft) {
  if (!records_.next(record_)) return false;
  if (record_.size() != variable_.size()) {
    throw InputError(
        location(),
        cell_count(record_.size()) + " where the header has " + std::to_string(variable_.size()),
        record_[0], "give every row a cell for each column; empty: not known");
  }
  if (soft != nullptr) soft->clear();
  row.assign(net_.graph.variables(), kUnobserved);
  for (std::size_t k = 0; k < variable_.size(); ++k) row[variable_[k]] = state_in(k, soft);
  return true;
}

void StateRowReader::read_header() {
  Names variables;
  for (Variable v = 0; v < net_.graph.variables(); ++v) {
    variables.emplace(variable_name(net_.names, v), v);
  }
  std::vector<bool> has_column(net_.graph.variables(), false);
  for (std::size_t k = 0; k < record_.size(); ++k) {
    const auto found = variables.find(without_blanks(record_[k]));
    if (found == variables.end()) {
      throw InputError(record_.location(records_.name(), k),
                       "a column that is no variable of the network", record_[k],
                       "the header names variables; there are " + list_of(variables));
    }
    if (has_column[found->second]) {
      throw InputError(record_.location(records_.name(), k), "a variable with two columns",
                       record_[k], "leave out one of them");
    }
    has_column[found->second] = true;
    variable_.push_back(found->second);
    Names& states = states_.emplace_back();
    for (State s = 0; s < net_.graph.states(found->second); ++s) {
      states.emplace(state_name(net_.names, found->second, s), s);
    }
  }
}

State StateRowReader::state_in(std::size_t k, std::vector<SoftFinding>* soft) const {
  const std::string_view cell = without_blanks(record_[k]);
  const auto found = states_[k].find(cell);
  if (found != states_[k].end()) return found->second;
  if (cell.empty() || std::ranges::find(options_.missing, cell) != options_.missing.end()) {
    return kUnobserved;
  }
  if (soft != nullptr && cell.find(':') != cell.npos) {
    soft->push_back(finding_in(k, cell));
    return kUnobserved;
  }
  throw InputError(record_.location(records_.name(), k),
                   "no state of " + in_quotes(variable_name(net_.names, variable_[k])), cell,
                   Message("its states are ", list_of(states_[k]),
                           "; an empty cell, or what --missing names, is not known"));
}

SoftFinding StateRowReader::finding_in(std::size_t k, std::string_view cell) const {
  try {
    return soft_finding_of(net_, variable_[k], cell);
  } catch (const UsageError& fault) {
    throw InputError(
        record_.location(records_.name(), k),
        "no state and no likelihoods of " + in_quotes(variable_name(net_.names, variable_[k])),
        cell, fault.message());
  }
}

std::size_t read_state_rows(LineReader lines, const GraphFile& net, const StateRowsOptions& options,
                            const std::function<void(std::span<const State> row)>& visit) {
  const std::string name = lines.name();
  StateRowReader rows(std::move(lines), net, options);
  std::vector<State> row;
  std::size_t count = 0;
  for (; rows.next(row); ++count) visit(row);
  if (count == 0) {
    throw InputError({name}, "a header, and no row below it", "",
                     "check that what wrote the file succeeded");
  }
  return count;
}

}  // namespace croft

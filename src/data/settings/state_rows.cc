#include "data/settings/state_rows.h"

#include <algorithm>
#include <map>

#include "croft/core/error.h"
#include "data/checks.h"
#include "data/csv.h"

namespace croft {
namespace {

using Names = std::map<std::string, std::uint32_t, std::less<>>;

// "a", "b" and 7 more
std::string list_of(const Names& names) {
  constexpr std::size_t kShown = 10;
  std::string list;
  std::size_t shown = 0;
  for (const auto& [name, number] : names) {
    if (shown++ == kShown) return list + " and " + std::to_string(names.size() - kShown) + " more";
    list += (list.empty() ? "" : ", ") + in_quotes(name);
  }
  return list;
}

class Rows {
 public:
  Rows(LineReader lines, const GraphFile& net, const StateRowsOptions& options)
      : records_(std::move(lines), options.delimiter), net_(net), options_(options) {
    if (!records_.next(record_)) {
      throw InputError({records_.name()}, "an empty file", "",
                       "the first line is the header: names of variables");
    }
    read_header();
  }

  bool next(std::vector<State>& row) {
    if (!records_.next(record_)) return false;
    if (record_.size() != variable_.size()) {
      throw InputError({records_.name(), record_.line()},
                       std::to_string(record_.size()) + " cells where the header has " +
                           std::to_string(variable_.size()),
                       record_[0], "give every row a cell for each column; empty: not known");
    }
    row.assign(net_.graph.variables(), kUnobserved);
    for (std::size_t k = 0; k < variable_.size(); ++k) row[variable_[k]] = state_in(k);
    return true;
  }
  const std::string& name() const { return records_.name(); }

 private:
  void read_header() {
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

  State state_in(std::size_t k) const {
    const std::string_view cell = without_blanks(record_[k]);
    const auto found = states_[k].find(cell);
    if (found != states_[k].end()) return found->second;
    if (cell.empty() || std::ranges::find(options_.missing, cell) != options_.missing.end()) {
      return kUnobserved;
    }
    throw InputError(record_.location(records_.name(), k),
                     "no state of " + in_quotes(variable_name(net_.names, variable_[k])), cell,
                     Message("its states are ", list_of(states_[k]),
                             "; an empty cell, or what --missing names, is not known"));
  }

  CsvRecordReader records_;
  const GraphFile& net_;
  const StateRowsOptions& options_;
  CsvRecord record_;
  std::vector<Variable> variable_;  // [columns]
  std::vector<Names> states_;       // [columns]
};

}  // namespace

std::size_t read_state_rows(LineReader lines, const GraphFile& net, const StateRowsOptions& options,
                            const std::function<void(std::span<const State> row)>& visit) {
  Rows rows(std::move(lines), net, options);
  std::vector<State> row;
  std::size_t count = 0;
  for (; rows.next(row); ++count) visit(row);
  if (count == 0) {
    throw InputError({rows.name()}, "a header, and no row below it", "",
                     "check that what wrote the file succeeded");
  }
  return count;
}

}  // namespace croft

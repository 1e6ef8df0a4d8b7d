#include "croft/data/graph_file.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/parse_number.h"
#include "croft/core/error.h"
#include "data/graphs/bif_tokens.h"
#include "data/graphs/network_builder.h"
#include "data/graphs/token_reader.h"

namespace croft {
namespace {

// Reads one network, from the first block to the last.
class BifReader {
 public:
  explicit BifReader(LineReader lines) : tokens_(std::move(lines)) { file_.directed = true; }

  GraphFile read() {
    while (!tokens_.at_end()) {
      if (tokens_.is("network")) {
        read_network();
      } else if (tokens_.is("variable")) {
        read_variable();
      } else if (tokens_.is("probability")) {
        read_probability();
      } else {
        tokens_.fail("network, variable or probability");
      }
    }
    if (file_.graph.variables() == 0) tokens_.fail("a variable");
    for (Variable v = 0; v < has_block_.size(); ++v) {
      if (has_block_[v]) continue;
      throw InputError({tokens_.location().file}, "a variable without a probability block",
                       file_.names.variables[v], "give one to each");
    }
    check_acyclic(file_, where_);
    rounded_.add_note(file_.notes);
    for (const auto& place : places_) {
      if (!place) return std::move(file_);
    }
    for (const auto& place : places_) file_.places.push_back(*place);
    return std::move(file_);
  }

 private:
  void read_network() {
    tokens_.next();
    tokens_.take_word("the name of the network");
    tokens_.expect('{', "the name of the network");
    read_properties();
    tokens_.expect('}', "the properties of the network");
  }

  // What a place on paper is among them, if one is.
  std::optional<GraphPlace> read_properties() {
    std::optional<GraphPlace> place;
    while (tokens_.is("property")) {
      tokens_.next();
      if (const auto found = place_of_property(tokens_.take_statement())) place = found;
    }
    return place;
  }

  void read_variable() {
    tokens_.next();
    const Location where = tokens_.location();
    const std::string name = tokens_.take_word("the name of a variable");
    if (variable_.contains(name)) throw InputError(where, "there are two variables", name, "");
    tokens_.expect('{', "the name of a variable");
    std::optional<GraphPlace> place = read_properties();
    if (!tokens_.is("type")) tokens_.fail("type discrete [ STATES ] { NAMES };");
    tokens_.next();
    if (!tokens_.is("discrete")) tokens_.fail("discrete", "other types are not supported");
    tokens_.next();
    tokens_.expect('[', "discrete");
    const Location count_where = tokens_.location();
    const std::string count = tokens_.take_word("the number of states");
    tokens_.expect(']', "the number of states");
    tokens_.expect('{', "the number of states");
    std::vector<std::string> states = read_states();
    if (std::to_string(states.size()) != count) {
      throw InputError(count_where,
                       "variable " + name + " lists " + std::to_string(states.size()) + " states",
                       count, "correct one of them");
    }
    tokens_.expect(';', "the states");
    if (const auto later = read_properties()) place = later;
    tokens_.expect('}', "the properties of a variable");
    places_.push_back(place);
    variable_.emplace(name, file_.graph.add_variable(states.size()));
    file_.names.variables.push_back(name);
    file_.names.states.push_back(std::move(states));
    has_block_.push_back(false);
    where_.push_back(where);
  }

  std::vector<std::string> read_states() {
    std::vector<std::string> states;
    std::map<std::string, bool> known;
    while (!tokens_.is('}')) {
      if (!states.empty() && tokens_.is(',')) tokens_.next();
      const Location where = tokens_.location();
      states.push_back(tokens_.take_word("the name of a state"));
      if (!known.emplace(states.back(), true).second) {
        throw InputError(where, "a variable has two states of one name", states.back(), "");
      }
    }
    if (states.empty()) tokens_.fail("the name of a state");
    tokens_.next();
    return states;
  }

  Variable read_known_variable() {
    if (!tokens_.at_end() && !tokens_.current().sign) {
      const auto found = variable_.find(tokens_.current().text);
      if (found == variable_.end()) {
        tokens_.fail("the name of a variable from above",
                     "variables stand before the probabilities that name them");
      }
      tokens_.next();
      return found->second;
    }
    tokens_.fail("the name of a variable");
  }

  void read_parent() {
    const Location where = tokens_.location();
    const Variable parent = read_known_variable();
    if (parent == child_ || std::ranges::find(parents_, parent) != parents_.end()) {
      throw InputError(where, "a variable is twice in a probability block",
                       file_.names.variables[parent], "");
    }
    parents_.push_back(parent);
  }

  void read_probability() {
    tokens_.next();
    tokens_.expect('(', "probability");
    const Location where = tokens_.location();
    child_ = read_known_variable();
    if (has_block_[child_]) {
      throw InputError(where, "a second probability block of a variable",
                       file_.names.variables[child_], "");
    }
    has_block_[child_] = true;
    parents_.clear();
    if (tokens_.is('|') || tokens_.is(',')) tokens_.next();
    while (!tokens_.is(')')) {
      if (!parents_.empty() && tokens_.is(',')) tokens_.next();
      read_parent();
    }
    tokens_.expect(')', "the variables of a probability block");
    tokens_.expect('{', "the variables of a probability block");
    read_rows();
    add_factor(where);
    tokens_.next();
  }

  // Rows by the number of their joint state of the parents, whose last one changes fastest.
  void read_rows() {
    rows_.clear();
    default_.clear();
    while (!tokens_.is('}')) {
      const Location where = tokens_.location();
      if (tokens_.is("property")) {
        tokens_.take_statement();
      } else if (tokens_.is("default")) {
        if (!default_.empty()) throw InputError(where, "a second default row", "default", "");
        tokens_.next();
        default_ = read_row(where);
        if (is_not_given(default_)) default_.clear();
      } else if (tokens_.is("table")) {
        tokens_.next();
        read_table(where);
      } else if (tokens_.is('(')) {
        const std::uint64_t joint = read_parent_states();
        add_row(joint, read_row(where), where);
      } else {
        tokens_.fail("table, default, (STATES OF THE PARENTS) or }");
      }
    }
  }

  std::uint64_t read_parent_states() {
    std::uint64_t joint = 0;
    tokens_.next();
    for (std::size_t k = 0; k < parents_.size(); ++k) {
      if (k > 0 && tokens_.is(',')) tokens_.next();
      const auto& states = file_.names.states[parents_[k]];
      const auto found = tokens_.current().sign || tokens_.at_end()
                             ? states.end()
                             : std::ranges::find(states, tokens_.current().text);
      if (found == states.end()) {
        tokens_.fail("a state of " + file_.names.variables[parents_[k]]);
      }
      joint = joint * states.size() + static_cast<std::uint64_t>(found - states.begin());
      tokens_.next();
    }
    tokens_.expect(')', "the states of the parents");
    return joint;
  }

  static bool is_not_given(const std::vector<double>& row) {
    return std::ranges::all_of(row, [](double p) { return p == kNotGiven; });
  }

  void add_row(std::uint64_t joint, std::vector<double> row, const Location& where) {
    if (is_not_given(row)) return;
    if (rows_.emplace(joint, std::move(row)).second) return;
    throw InputError(where, "a row of probabilities is given twice", "", "");
  }

  // Probabilities, or -1, which JavaBayes writes for what is not given.
  std::vector<double> read_numbers() {
    std::vector<double> numbers;
    while (!tokens_.is(';')) {
      if (!numbers.empty() && tokens_.is(',')) tokens_.next();
      double value = 0;
      if (tokens_.at_end() || tokens_.current().sign ||
          parse_number(tokens_.current().text, value) != NumberKind::finite ||
          (value < 0 && value != kNotGiven)) {
        tokens_.fail("a probability >= 0");
      }
      numbers.push_back(value);
      tokens_.next();
    }
    tokens_.next();
    return numbers;
  }

  void normalise(const Location& where, std::vector<double>& row) {
    if (is_not_given(row)) return;
    if (std::ranges::find(row, kNotGiven) != row.end()) {
      throw InputError(where, "a row of " + file_.names.variables[child_] + " is given in part",
                       "-1", "give all of its numbers, or none");
    }
    rounded_.normalise(row, file_.names.variables[child_], where);
  }

  std::vector<double> read_row(const Location& where) {
    std::vector<double> row = read_numbers();
    const std::size_t states = file_.graph.states(child_);
    if (row.size() != states) {
      throw InputError(where,
                       "variable " + file_.names.variables[child_] + " has " +
                           std::to_string(states) +
                           " states, and this row another number of "
                           "probabilities",
                       std::to_string(row.size()), "");
    }
    normalise(where, row);
    return row;
  }

  // All rows at once: the child's state changes slowest.
  void read_table(const Location& where) {
    const std::vector<double> all = read_numbers();
    if (all.size() == 1 && is_not_given(all)) return;
    const std::size_t states = file_.graph.states(child_);
    std::uint64_t rows = 1;
    for (const Variable v : parents_) {
      rows *= file_.graph.states(v);
      if (rows > all.size()) break;
    }
    if (rows * states != all.size() || all.empty()) {
      throw InputError(where, "a table has another number of probabilities than joint states",
                       std::to_string(all.size()), "");
    }
    for (std::uint64_t joint = 0; joint < rows; ++joint) {
      std::vector<double> row;
      for (std::size_t s = 0; s < states; ++s) row.push_back(all[s * rows + joint]);
      normalise(where, row);
      add_row(joint, std::move(row), where);
    }
  }

  void add_factor(const Location& where) {
    std::uint64_t rows = 1;
    for (const Variable v : parents_) {
      rows *= file_.graph.states(v);
      if (rows > kMostRows) {
        throw InputError(where, "a probability block of more than 2^32 rows", "", "");
      }
    }
    if (default_.empty() && rows_.size() != rows) {
      throw InputError(where,
                       "variable " + file_.names.variables[child_] + " needs " +
                           std::to_string(rows) + " rows of probabilities, and has",
                       std::to_string(rows_.size()), "add the others, or default");
    }
    std::vector<double> scores;
    const auto append = [&](const std::vector<double>& row) {
      for (const double p : row) scores.push_back(std::log(p));
    };
    std::vector<Variable> scope = parents_;
    scope.push_back(child_);
    if (rows <= 4 * rows_.size() + 1024) {
      for (std::uint64_t joint = 0; joint < rows; ++joint) {
        const auto row = rows_.find(joint);
        append(row == rows_.end() ? default_ : row->second);
      }
      file_.graph.add_factor(scope, file_.graph.add_table(scores));
      return;
    }
    throw InputError(where,
                     "a default row stands for more than three of four rows, of more than 1024",
                     file_.names.variables[child_], "write the rows");
  }

  static constexpr std::uint64_t kMostRows = std::uint64_t{1} << 32;
  static constexpr double kNotGiven = -1;

  BifTokens tokens_;
  GraphFile file_;
  std::map<std::string, Variable> variable_;
  std::vector<bool> has_block_;
  std::vector<Location> where_;  // [variables]
  std::vector<std::optional<GraphPlace>> places_;
  // Of the block that is being read:
  Variable child_ = 0;
  std::vector<Variable> parents_;
  std::map<std::uint64_t, std::vector<double>> rows_;
  std::vector<double> default_;
  RoundedRows rounded_;
};

std::string quoted(const std::string& name) {
  const auto plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("_-.+<>=:%").find(c) != std::string_view::npos ||
           (static_cast<unsigned char>(c) & 0x80) != 0;
  };
  if (!name.empty() && std::ranges::all_of(name, plain)) return name;
  if (std::ranges::any_of(name, [](char c) { return c == '"' || c == '\n'; })) {
    throw Error("BIF has no way to write the name " + in_quotes(name) + "; give it another");
  }
  return '"' + name + '"';
}

std::string bif_variable(const GraphNames& names, Variable v) {
  return names.variables.empty() ? "v" + std::to_string(v) : quoted(names.variables[v]);
}

std::string bif_state(const GraphNames& names, Variable v, State s) {
  return names.states.empty() ? "s" + std::to_string(s) : quoted(names.states[v][s]);
}

void append_variables(std::string& out, const GraphFile& file) {
  for (Variable v = 0; v < file.graph.variables(); ++v) {
    const auto states = static_cast<State>(file.graph.states(v));
    out += "variable " + bif_variable(file.names, v) + " {\n  type discrete [ " +
           std::to_string(states) + " ] { ";
    for (State s = 0; s < states; ++s) out += (s > 0 ? ", " : "") + bif_state(file.names, v, s);
    out += " };\n";
    if (!file.places.empty()) {
      out += "  property position = (";
      append_number(out, file.places[v].x);
      out += ", ";
      append_number(out, file.places[v].y);
      out += ");\n";
    }
    out += "}\n";
  }
}

void append_block(std::string& out, const GraphFile& file, Factor f) {
  const FactorGraph& graph = file.graph;
  const auto scope = graph.scope(f);
  const auto parents = scope.first(scope.size() - 1);
  out += "probability ( " + bif_variable(file.names, scope.back());
  for (std::size_t k = 0; k < parents.size(); ++k) {
    out += (k == 0 ? " | " : ", ") + bif_variable(file.names, parents[k]);
  }
  out += " ) {\n";
  const std::vector<double> scores = graph.table(f);
  const std::size_t states = graph.states(scope.back());
  std::vector<State> at(parents.size(), 0);
  for (std::size_t first = 0; first < scores.size(); first += states) {
    out += "  ";
    if (parents.empty()) out += "table ";
    for (std::size_t k = 0; k < parents.size(); ++k) {
      out += (k == 0 ? "(" : ", ") + bif_state(file.names, parents[k], at[k]);
    }
    if (!parents.empty()) out += ") ";
    for (std::size_t s = 0; s < states; ++s) {
      if (s > 0) out += ", ";
      append_number(out, std::exp(scores[first + s]));
    }
    out += ";\n";
    for (std::size_t k = parents.size(); k-- > 0;) {
      if (++at[k] < graph.states(parents[k])) break;
      at[k] = 0;
    }
  }
  out += "}\n";
}

}  // namespace

GraphFile read_bif(LineReader lines) { return BifReader(std::move(lines)).read(); }

std::string write_bif(const GraphFile& file) {
  std::vector<std::size_t> blocks(file.graph.variables(), 0);
  if (!file.directed) throw UsageError("BIF is for directed graphs, and this one is not");
  if (!file.decisions.empty() || !file.utilities.empty()) {
    throw UsageError("BIF has no decisions and no utilities, and this network has some");
  }
  for (Factor f = 0; f < file.graph.factors(); ++f) {
    const auto scope = file.graph.scope(f);
    if (!scope.empty()) ++blocks[scope.back()];
  }
  for (Variable v = 0; v < blocks.size(); ++v) {
    if (blocks[v] == 1) continue;
    throw UsageError("BIF has one table for each variable, and variable " +
                     variable_name(file.names, v) + " is the last of " + std::to_string(blocks[v]) +
                     " factors");
  }
  std::string out = "network croft {\n}\n";
  append_variables(out, file);
  for (Factor f = 0; f < file.graph.factors(); ++f) append_block(out, file, f);
  return out;
}

}  // namespace croft

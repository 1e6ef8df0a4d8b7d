#include "data/outcome_table.h"

#include <algorithm>

#include "core/parse_number.h"
#include "croft/core/error.h"
#include "data/cell_count.h"
#include "data/checks.h"
#include "data/csv.h"

namespace croft {
namespace {

void read_header(const CsvRecord& record, OutcomeTable& table) {
  for (std::size_t k = 1; k < record.size(); ++k) {
    const std::string_view name = without_blanks(record[k]);
    if (name.empty()) {
      throw InputError(record.location(table.file, k), "a column without a name", "",
                       "write the name of a feature in the header");
    }
    if (std::ranges::find(table.columns, name) != table.columns.end()) {
      throw InputError(record.location(table.file, k), "the name of another column", name,
                       "give each feature a name of its own");
    }
    table.columns.emplace_back(name);
  }
}

void read_row(const CsvRecord& record, OutcomeTable& table) {
  if (record.size() != table.columns.size() + 1) {
    throw InputError({table.file, record.line()},
                     "a row of " + cell_count(record.size()) + " under a header of " +
                         std::to_string(table.columns.size() + 1),
                     record[0], "write the outcome's name and a number for each feature");
  }
  table.outcomes.emplace_back(record[0]);
  table.lines.push_back(record.line());
  for (std::size_t k = 1; k < record.size(); ++k) {
    double value = 0;
    if (parse_number(without_blanks(record[k]), value) != NumberKind::finite) {
      throw InputError(record.location(table.file, k), "no finite number", record[k],
                       "a feature is a number for each outcome; write 0 where it has none");
    }
    table.values.push_back(value);
  }
}

}  // namespace

OutcomeTable read_outcome_table(LineReader lines, char delimiter) {
  OutcomeTable table{.file = lines.name()};
  CsvRecordReader reader(std::move(lines), delimiter);
  CsvRecord record;
  if (reader.next(record)) {
    read_header(record, table);
    while (reader.next(record)) read_row(record, table);
  }
  if (!table.outcomes.empty()) return table;
  throw InputError({table.file}, "a table without outcomes", "",
                   "write a header, and a row for each outcome: its name, and a number for each "
                   "feature");
}

std::vector<double> take_weights(const std::string& name, OutcomeTable& table) {
  const auto at = std::ranges::find(table.columns, name);
  if (at == table.columns.end()) {
    throw InputError({table.file}, "no column", name, "name one of the header's");
  }
  const auto column = static_cast<std::size_t>(at - table.columns.begin());
  std::vector<double> weights, rest;
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    (i % table.columns.size() == column ? weights : rest).push_back(table.values[i]);
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) continue;
    throw InputError({table.file, table.lines[i]}, "an outcome whose " + name + " is not above 0",
                     table.outcomes[i], "leave out outcomes that cannot be");
  }
  table.values = std::move(rest);
  table.columns.erase(at);
  return weights;
}

ExpectationText parse_expectation(std::string_view text, const Location& where) {
  const auto fail = [&](std::string_view problem) {
    throw InputError(where, problem, text,
                     "write FEATURE = NUMBER, FEATURE <= NUMBER or FEATURE >= NUMBER");
  };
  const std::size_t equal = text.rfind('=');
  if (equal == text.npos) fail("a constraint without =, <= or >=");
  const bool sided = equal > 0 && (text[equal - 1] == '<' || text[equal - 1] == '>');
  const std::size_t begin = sided ? equal - 1 : equal;
  ExpectationText found{.feature = std::string(without_blanks(text.substr(0, begin))),
                        .relation = std::string(text.substr(begin, equal + 1 - begin))};
  if (found.feature.find_last_of("=<>") == found.feature.size() - 1 && !found.feature.empty()) {
    fail("a constraint with more than one of =, <= and >=");
  }
  if (found.feature.empty()) fail("a constraint that names no feature");
  if (parse_number(without_blanks(text.substr(equal + 1)), found.bound) != NumberKind::finite) {
    fail("a constraint whose bound is no finite number");
  }
  return found;
}

std::vector<ExpectationText> read_expectations(LineReader& lines) {
  std::vector<ExpectationText> found;
  for (std::string_view line; lines.next(line);) {
    const std::string_view text = without_blanks(line);
    if (text.empty() || text.starts_with('#')) continue;
    found.push_back(parse_expectation(text, lines.location()));
  }
  if (!found.empty()) return found;
  throw InputError({lines.name()}, "no constraint", "", "write lines such as mean <= 4");
}

}  // namespace croft

// Outcomes with their features, and what is asked of these on average: the input of a problem of
// maximum entropy, as text.
//
//   table      : CSV with a header; the first column names an outcome, the others are numbers
//   constraint : FEATURE = NUMBER, FEATURE <= NUMBER or FEATURE >= NUMBER; a file has one a line,
//                empty lines and lines that begin with # are skipped
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "croft/data/line_reader.h"

namespace croft {

struct OutcomeTable {
  std::string file;                        // its name, for messages
  std::vector<std::string> outcomes = {};  // as the rows have them
  std::vector<std::size_t> lines = {};     // [outcomes] where they stand, counted from 1
  std::vector<std::string> columns = {};   // names of the features, all different
  std::vector<double> values = {};         // [outcomes][columns] row-major, finite
};

// Throws InputError (file, line, column, text, remedy) as CsvRecordReader, for a table without
// rows, for a column without a name or with the name of another, for a row of another length, and
// for a cell that is no finite number.
OutcomeTable read_outcome_table(LineReader lines, char delimiter = ',');

// Takes a column out of the table and returns it: what outcomes weigh.  Throws InputError where
// there is none of this name, and for a number that is not above 0.
std::vector<double> take_weights(const std::string& name, OutcomeTable& table);

struct ExpectationText {
  std::string feature, relation;  // "=", "<=" or ">="
  double bound = 0;
};

// Throws InputError (where, text, remedy) for text that is not of the form above.
ExpectationText parse_expectation(std::string_view text, const Location& where);
// Throws InputError likewise, and for a file without any constraint.
std::vector<ExpectationText> read_expectations(LineReader& lines);

}  // namespace croft

// Named arrays from files: the data of a BUGS model, and initial values of its chains.
//
// The end of a file's name says what is in it: .json, .csv, and anything else a dump of R.
// docs/bugs.md has the rules of each.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "bugs/arrays.h"
#include "croft/data/line_reader.h"

namespace croft::bugs {

// Of an element that the files leave out (NA).
inline constexpr double kMissingValue = std::numeric_limits<double>::quiet_NaN();

// What a file of data or initial values has.
struct ArrayFile {
  std::vector<Arrays> sets;          // one; of initial values in a list of lists one for each chain
  std::vector<std::string> ignored;  // names such as .RNG.seed, which are JAGS' alone
  std::string by_rows = {};          // the first array that list(…) has by rows; empty: none
};

// Notes of readers for their callers: a sentence each, said once for all files.
struct ArrayNotes {
  std::vector<std::string> ignored;  // as of ArrayFile
  std::string by_rows = {};          // "rats.txt: \"Y\" is read row by row, …"; empty: nothing
};

struct ArrayLimits {
  static constexpr std::size_t values = 100'000'000;  // of a file
  static constexpr std::size_t nesting = 50;
};

// "a" <- c(1, NA, 2.5);  b <- structure(1:6, .Dim = c(2, 3));  list(a = 1, b = 2:4);
// list(list(a = 1), list(a = 2)): a set for each chain.  In a list, arrays with .Dim are as WinBUGS
// and OpenBUGS write them, the last subscript fastest.  WinBUGS' tables, x[] Y[,1] Y[,2] above rows
// of numbers and END, may stand beside them.
// All readers throw InputError (file, line, column, text, remedy).
ArrayFile read_r_dump(LineReader lines);

// {"a": [1, null, 2.5], "b": [[1, 2, 3], [4, 5, 6]]}, in which b[2,1] is 4; or an array of such
// objects: a set for each chain.
ArrayFile read_json_arrays(LineReader lines);

// A header and rows of numbers: a vector for each column.  An empty cell and NA are missing.
ArrayFile read_csv_arrays(LineReader lines);

ArrayFile read_array_file(const std::string& path);

// The sentence of ArrayNotes::by_rows; empty if no array is read by rows.
std::string by_rows_note(const std::string& path, const ArrayFile& file);

// The one set of each file, together.  Throws InputError for a name that two files have, and for a
// file of several sets.
Arrays read_data_files(const std::vector<std::string>& paths, ArrayNotes& notes);

// The sets of all files, in order: one for all chains, or one for each.
std::vector<Arrays> read_init_files(const std::vector<std::string>& paths, ArrayNotes& notes);

}  // namespace croft::bugs

// Tables with a header and a label column: rows as attributes.  docs/formats.md has the rules.
//
// A column is numeric (an attribute of its name, with the cell's number as value) or categorical
// (an attribute NAME=CELL of value 1).  A cell that is missing gives no attribute.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "croft/data/text_sequence.h"
#include "data/csv.h"

namespace croft {

struct CsvOptions {
  char delimiter = CsvRecordReader::kByName;
  std::string label = {};  // its column; empty: `label`, else `class`, else the last one
  std::vector<std::string> numeric =
      {};  // columns that are so; of others the training data decides
  std::vector<std::string> categorical = {};
  bool all_categorical = false;  // columns that no option names are, whatever is in them
  std::vector<std::string> ignored = {};
  std::vector<std::string> missing = {};  // cells that say nothing, as does the empty one
  bool standardise = false;  // numeric columns to mean 0 and deviation 1 in the training data

  // Throws UsageError for a delimiter that is none, and a column that is named twice.
  void validate() const;
};

enum class CsvKind { numeric, categorical };

struct CsvColumn {
  std::string name;
  CsvKind kind = CsvKind::categorical;
  double mean = 0, deviation = 1;  // the value is (number - mean) / deviation

  bool operator==(const CsvColumn&) const = default;
};

// What a model knows of its tables, and reads later ones by.
struct CsvColumns {
  char delimiter = ',';
  std::string label;
  std::vector<CsvColumn> columns;  // as in the training data, without the label and what is ignored
  std::vector<std::string> ignored, missing;
  bool standardised = false;

  bool operator==(const CsvColumns&) const = default;
};

// Finds the columns of training data: feed it all files, then ask.
class CsvColumnFinder {
 public:
  // Throws UsageError as CsvOptions::validate().
  explicit CsvColumnFinder(CsvOptions options);
  ~CsvColumnFinder();

  // Throws InputError as CsvRecordReader, at a header that is not UTF-8 or has a name twice or
  // none, for a column that the options name and the header lacks, for other columns than the first
  // file's, at a row with another number of cells, and where a column that is stated to be numeric
  // has a cell that is no number.
  void read(LineReader lines);
  // Throws InputError for numbers that are not finite in a column of numbers that no option names,
  // and for a column whose attributes could be those of a cell of another one.
  CsvColumns columns() const;
  // What the user should know of each column that no option names, is none of numbers, and has
  // another cell in nearly every row: texts, or the names of the rows.
  std::vector<std::string> warnings() const;

 private:
  struct Column;
  void start(const CsvRecord& header, const std::string& file);
  void look_at(const CsvRecord& record, std::size_t k, Column& column, const std::string& file);

  std::string number_as_name() const;
  void check_names(const std::vector<CsvColumn>& columns) const;

  CsvOptions options_;
  std::string label_;
  std::vector<Column> columns_;  // those of the first file, all of them
  Location header_{};            // of that file
  char delimiter_ = ',';         // likewise
};

class CsvReader {
 public:
  // The header is read with the first row.  allow_unlabelled: for prediction, the label column may
  // be absent, or empty in all rows.  `columns` is kept by reference.
  CsvReader(LineReader lines, const CsvColumns& columns, bool allow_unlabelled = false);

  // The next row as a sequence of one position, or false at the end.  Throws InputError as
  // CsvRecordReader, for a header without a row, for one with columns that are not known or without
  // one that is (but for those that are ignored), at a row with another number of cells, a cell of
  // a numeric column that is no finite number, and a label that is missing or has a line end.
  bool next(TextSequence& sequence);

  const std::string& name() const { return records_.name(); }
  // As CsvRecordReader has it; the header comes with the first row.
  void take_given(GivenLines& out) { records_.take_given(2, out); }

 private:
  void read_header();
  void read_label(TextSequence& sequence);

  CsvRecordReader records_;
  const CsvColumns& columns_;
  bool allow_unlabelled_;
  CsvRecord record_;
  std::size_t cells_ = 0;                // of each row; 0 before the header is read
  std::vector<std::size_t> place_;       // [columns] the cell of each
  std::optional<std::size_t> label_at_;  // the cell of the label, where there is one
  bool labelled_ = false;                // as the first row is
  std::size_t first_row_line_ = 0;       // 0 before it
};

}  // namespace croft

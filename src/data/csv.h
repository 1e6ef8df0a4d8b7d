// Comma-separated values (RFC 4180): records of cells, some of them in quotes.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "croft/data/line_reader.h"

namespace croft {

// The cells of one record in one flat text.
class CsvRecord {
 public:
  void clear();
  // Appends to the cell that the next end_cell() closes.
  std::string& bytes() { return text_; }
  void end_cell(std::size_t line, std::size_t column);  // where it begins, from 1
  std::size_t size() const { return cells_.size(); }
  std::string_view operator[](std::size_t k) const {
    const std::size_t begin = k == 0 ? 0 : cells_[k - 1].end;
    return std::string_view(text_).substr(begin, cells_[k].end - begin);
  }
  std::size_t line() const { return cells_.front().line; }
  Location location(const std::string& file, std::size_t k) const {
    return {file, cells_[k].line, cells_[k].column};
  }

 private:
  struct Cell {
    std::size_t end, line, column;  // end: in text_
  };
  std::string text_;
  std::vector<Cell> cells_;
};

// As a record has it: in quotes where it must be.
std::string csv_cell(std::string_view text, char delimiter = ',');

class CsvRecordReader {
 public:
  // delimiter : kByName: a TAB where the file's name ends in .tsv, else a comma
  explicit CsvRecordReader(LineReader lines, char delimiter = ',');
  static constexpr char kByName = '\0';

  // The next record, or false at the end.  A cell in quotes holds any text, a quote as two, and a
  // line end as one newline however it is written.  Empty lines between records are skipped. Throws
  // InputError (file, line, column in bytes, text, remedy) at a quote inside a cell without quotes,
  // text behind a closing quote, a quote that is not closed, a NUL byte and a carriage return.
  bool next(CsvRecord& record);

  // Takes a header of one cell apart by the delimiter that the file's name says, by which further
  // records are read, too; a header of several cells, or one without it, stays.
  void split_by_name(CsvRecord& header);

  // From now on an empty line is a record of one empty cell.
  void keep_empty_lines() { empty_lines_ = true; }

  const std::string& name() const { return lines_.name(); }
  char delimiter() const { return delimiter_; }
  // Marked are the lines that records end in.
  void take_given(std::size_t records, GivenLines& out) { lines_.take_given(records, out); }

 private:
  std::size_t read_plain(std::string_view line, std::size_t at, CsvRecord& record) const;
  std::size_t read_quoted(std::string_view& line, std::size_t at, CsvRecord& record);
  bool next_line(std::string_view& line);
  char delimiter_by_name() const;

  LineReader lines_;
  char delimiter_;
  bool empty_lines_ = false;
};

}  // namespace croft

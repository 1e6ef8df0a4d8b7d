// Columns (CoNLL, CRF++, Wapiti): one position a line, whitespace-separated cells, an empty line
// between sequences.  docs/formats.md has the rules.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/message.h"
#include "croft/data/line_reader.h"
#include "croft/data/string_lists.h"

namespace croft {

// The rows of one sequence; cells point into one flat text.
class ColumnSequence {
 public:
  void clear();
  void append_row(std::string_view line);  // splits at runs of space and TAB
  // A row cell by cell, of any bytes; its line is the cells with spaces between.
  void append_cell(std::string_view cell);
  void end_row();
  std::size_t rows() const { return row_end_.size(); }
  std::size_t columns(std::size_t row) const { return row_end_[row] - row_begin(row); }
  // Whatever its size, kReadable bytes may be read from its begin on.
  static constexpr std::size_t kReadable = 16;
  std::string_view cell(std::size_t row, std::size_t column) const {
    return view(cells_[row_begin(row) + column]);
  }
  std::string_view line(std::size_t row) const { return view(lines_[row]); }  // as it was read
  void move_to_end(std::size_t row, std::size_t column);  // the cell, behind the row's others
  std::size_t first_line = 0, last_line = 0;              // in the input, from 1
  // As TextSequence has them.
  std::vector<std::uint32_t> lines;
  std::size_t line_of(std::size_t row) const {
    return first_line == 0 ? 0 : lines.empty() ? first_line + row : lines[row];
  }
  // The lines that were skipped (ColumnsForm::ignored) behind the sequence before, each with its
  // end.
  std::string skipped;
  // [rows] attributes that are known from elsewhere: of a model that looks at documents
  // (app/label/documents.h); otherwise empty.
  StringLists beside;

 private:
  struct Piece {
    std::size_t begin, end;  // of text_
  };
  std::size_t row_begin(std::size_t row) const { return row == 0 ? 0 : row_end_[row - 1]; }
  std::string_view view(Piece piece) const {
    return {text_.data() + piece.begin, piece.end - piece.begin};
  }
  void append(std::string_view text);
  std::string text_;  // and kReadable bytes more
  std::size_t size_ = 0;
  std::vector<Piece> cells_, lines_;
  std::vector<std::size_t> row_end_;  // index into cells_
};

// Which lines of a file of columns are rows, and which cell of a row is its label.
struct ColumnsForm {
  std::size_t label_column = 0;  // from 1 on; 0: the last one
  std::string ignored = {};      // a regular expression (RE2); lines it is found in are skipped

  bool operator==(const ColumnsForm&) const = default;
  // Throws UsageError for what is no regular expression, and for one that is found in an empty
  // line, which ends a sequence.
  void validate() const;
};
// The number of a column, from 1 on, as --label-column names it.  Throws UsageError for another
// text.
std::size_t column_number(std::string_view text);
// A remedy for a line that was read as columns and looks like another format's, with the option
// that reads it; empty: it looks like columns.
Message other_format_hint(std::string_view line);
// From now on the reader skips lines that the expression is found in; empty: none.  Throws as
// ColumnsForm::validate().
//   seen : called with each line that is skipped; may be null
void skip_lines(const std::string& expression, LineReader& lines,
                std::function<void(std::string_view line)> seen = {});

// Whether these cells, with the blanks between them, are the first of the line.
bool begins_with_cells(std::string_view line, std::string_view cells);

enum class RowWidth {
  as_expected,
  or_one_fewer,  // data without the label column, as long as all rows agree
  or_more        // each row its own number
};

// Streams sequences.  Every row of the input must have the same number of columns, but for
// RowWidth::or_more.
class ColumnsReader {
 public:
  // expected_columns 0: that of the first row.  Otherwise a row with another number than `width`
  // allows is an error.
  // form : the label's cell becomes the last one of its row, as line() does not show
  explicit ColumnsReader(LineReader lines, std::size_t expected_columns = 0,
                         RowWidth width = RowWidth::as_expected, const ColumnsForm& form = {});

  // The next sequence, or false at the end.  Throws InputError (file, line, text, remedy) at a row
  // with another number of columns, without that of the label, that starts with a blank, or with a
  // NUL byte or a carriage return.  A line of only spaces and TABs ends a sequence, like an empty
  // one; several in a row count as one.
  bool next(ColumnSequence& sequence);

  std::size_t columns() const { return columns_; }  // of the first row; 0 before it
  const std::string& name() const { return lines_.name(); }
  void take_given(std::size_t rows, GivenLines& out) { lines_.take_given(rows, out); }

 private:
  void check_bytes(std::string_view line) const;
  void check_columns(std::size_t columns, std::string_view line);
  void place_label(ColumnSequence& sequence, std::string_view line) const;
  LineReader lines_;
  std::size_t columns_ = 0, expected_;
  std::size_t first_row_line_ = 0;
  std::string first_line_;  // the row there
  std::shared_ptr<std::string> skipped_ = std::make_shared<std::string>();
  RowWidth width_;
  std::size_t label_column_;
};

}  // namespace croft

#include "data/columns.h"

#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "core/byte_places.h"
#include "croft/core/error.h"

namespace croft {
namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool looks_like_json(std::string_view line) {
  return line.starts_with("{\"") && line.ends_with('}') && line.find("\":") != line.npos;
}

std::string count_of_columns(std::size_t n) {
  return std::to_string(n) + (n == 1 ? " column" : " columns");
}

std::shared_ptr<const RE2> ignoring(const std::string& expression) {
  RE2::Options quiet;
  quiet.set_log_errors(false);
  auto made = std::make_shared<const RE2>(expression, quiet);
  const Message option = Message::option("ignore-lines");
  if (!made->ok()) {
    throw UsageError(option, " ", in_quotes(expression),
                     " is no regular expression: ", made->error());
  }
  if (RE2::PartialMatch("", *made)) {
    throw UsageError(option, " ", in_quotes(expression),
                     " is found in an empty line, too, which ends a sequence; say how the lines "
                     "begin, such as ^#");
  }
  return made;
}

}  // namespace

void ColumnsForm::validate() const {
  if (!ignored.empty()) ignoring(ignored);
}

std::size_t column_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault == std::errc() && end == text.data() + text.size() && number > 0) return number;
  throw UsageError("--label-column ", in_quotes(text), ": of columns it is a number, from 1 on");
}

Message other_format_hint(std::string_view line) {
  const auto count = [&](char c) { return std::ranges::count(line, c); };
  const auto begins = [&](std::string_view text) { return line.starts_with(text); };
  if (looks_like_json(line)) {
    return "this looks like JSON lines: --format spans, prodigy or doccano reads them, and croft "
           "convert --from huggingface";
  }
  if (begins("1\t") && count('\t') == 9) return "this looks like CoNLL-U: --format conllu";
  if (line.find(' ') == line.npos && count('\t') == 0 && (count(',') > 0 || count(';') > 0)) {
    return count(',') > 0
               ? Message("this looks like a table with commas: --format csv")
               : Message("this looks like a table: --format csv with --delimiter semicolon");
  }
  if (count('\t') > 0 && line.find(' ') != line.npos) {
    return "cells with blanks and TABs between them: --format text reads LABEL TAB TEXT, --format "
           "csv with --delimiter tab a table, --format attributes CRFsuite's data";
  }
  return {};
}

void skip_lines(const std::string& expression, LineReader& lines,
                std::function<void(std::string_view line)> seen) {
  if (expression.empty()) return;
  lines.skip([made = ignoring(expression), seen = std::move(seen)](std::string_view line) {
    const bool skipped = RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), *made);
    if (skipped && seen) seen(line);
    return skipped;
  });
}

bool begins_with_cells(std::string_view line, std::string_view cells) {
  if (!line.starts_with(cells)) return false;
  line.remove_prefix(cells.size());
  return line.empty() || line.front() == '\r' || is_blank(line.front());
}

void ColumnSequence::clear() {
  text_.clear();
  size_ = 0;
  cells_.clear();
  lines_.clear();
  row_end_.clear();
  first_line = last_line = 0;
  lines.clear();
  skipped.clear();
  beside.clear();
}

void ColumnSequence::append(std::string_view text) {
  text_.resize(size_);
  text_.append(text).append(kReadable, '\0');
  size_ += text.size();
}

void ColumnSequence::append_row(std::string_view line) {
  const std::size_t offset = size_;
  append(line);
  lines_.push_back({offset, size_});
  std::size_t begin = 0;
  const auto end_cell = [&](std::size_t end) {
    if (end > begin) cells_.push_back({offset + begin, offset + end});
    begin = end + 1;
  };
  for_each_byte(line, ' ', '\t', end_cell);
  end_cell(line.size());
  row_end_.push_back(cells_.size());
}

void ColumnSequence::append_cell(std::string_view cell) {
  if (cells_.size() > (row_end_.empty() ? 0 : row_end_.back())) append(" ");
  const std::size_t begin = size_;
  append(cell);
  cells_.push_back({begin, size_});
}

void ColumnSequence::end_row() {
  const std::size_t first = row_end_.empty() ? 0 : row_end_.back();
  const std::size_t begin = first < cells_.size() ? cells_[first].begin : size_;
  lines_.push_back({begin, size_});
  row_end_.push_back(cells_.size());
}

void ColumnSequence::move_to_end(std::size_t row, std::size_t column) {
  const auto at = [&](std::size_t k) { return cells_.begin() + static_cast<std::ptrdiff_t>(k); };
  const std::size_t label = row_begin(row) + column;
  std::rotate(at(label), at(label + 1), at(row_end_[row]));
}

ColumnsReader::ColumnsReader(LineReader lines, std::size_t expected_columns, RowWidth width,
                             const ColumnsForm& form)
    : lines_(std::move(lines)),
      expected_(expected_columns),
      width_(width),
      label_column_(form.label_column) {
  if (lines_.skips()) return;
  skip_lines(form.ignored, lines_,
             [skipped = skipped_](std::string_view line) { skipped->append(line).append("\n"); });
}

namespace {

// Of the last row; lines are listed from the first gap on, which lines that are left out make.
void add_line(ColumnSequence& sequence, std::size_t line) {
  const std::size_t row = sequence.rows() - 1;
  sequence.last_line = line;
  if (sequence.lines.empty() && line == sequence.first_line + row) return;
  while (sequence.lines.size() < row) {
    sequence.lines.push_back(
        static_cast<std::uint32_t>(sequence.first_line + sequence.lines.size()));
  }
  sequence.lines.push_back(static_cast<std::uint32_t>(line));
}

}  // namespace

bool ColumnsReader::next(ColumnSequence& sequence) {
  sequence.clear();
  std::string_view line;
  while (lines_.next(line)) {
    if (std::all_of(line.begin(), line.end(), is_blank)) {
      if (sequence.rows() > 0) return true;
      continue;
    }
    check_bytes(line);
    if (sequence.rows() == 0) {
      sequence.first_line = lines_.line_number();
      std::swap(sequence.skipped, *skipped_);
    }
    skipped_->clear();
    sequence.append_row(line);
    add_line(sequence, lines_.line_number());
    check_columns(sequence.columns(sequence.rows() - 1), line);
    if (label_column_ > 0) place_label(sequence, line);
    lines_.mark_given();
  }
  return sequence.rows() > 0;
}

// Rows of data without labels have no cell of one.
void ColumnsReader::place_label(ColumnSequence& sequence, std::string_view line) const {
  if (width_ == RowWidth::or_one_fewer && columns_ + 1 == expected_) return;
  if (label_column_ > columns_) {
    throw InputError(lines_.location(),
                     count_of_columns(columns_) + ", and the label is to be in column " +
                         std::to_string(label_column_),
                     line, "columns are counted from 1; name that of the labels");
  }
  sequence.move_to_end(sequence.rows() - 1, label_column_ - 1);
}

void ColumnsReader::check_bytes(std::string_view line) const {
  if (const std::size_t nul = line.find('\0'); nul != std::string_view::npos) {
    throw InputError(
        lines_.location(nul + 1), "a NUL byte", line,
        "give plain UTF-8 text: this looks like UTF-16, a binary or a compressed file");
  }
  if (const std::size_t cr = line.find('\r'); cr != std::string_view::npos) {
    throw InputError(lines_.location(cr + 1), "a carriage return inside a line", line,
                     "end every line with a newline, or with one carriage return and a newline");
  }
  if (is_blank(line.front())) {
    throw InputError(lines_.location(1), "a row starts with a blank", line,
                     "delete the blanks before the first cell, or empty the line to end the "
                     "sequence; an empty cell needs a placeholder such as _");
  }
}

// The first row of the input settles the number of columns.
void ColumnsReader::check_columns(std::size_t columns, std::string_view line) {
  const bool fewer = width_ == RowWidth::or_one_fewer && columns + 1 == expected_;
  const bool enough = width_ == RowWidth::or_more && columns >= expected_;
  if (columns_ == 0 && looks_like_json(line)) {
    throw InputError(lines_.location(), "a JSON object where columns are expected", line,
                     other_format_hint(line));
  }
  if (columns_ == 0 && (expected_ == 0 || columns == expected_ || fewer || enough)) {
    columns_ = columns;
    first_row_line_ = lines_.line_number();
    first_line_ = line;
  }
  if (columns == columns_ || enough) return;
  std::string problem = count_of_columns(columns) + " where ";
  if (width_ == RowWidth::or_more) {
    problem += std::to_string(expected_) + " or more are expected";
  } else if (columns_ > 0) {
    problem += "line " + std::to_string(first_row_line_) + " has " + std::to_string(columns_);
  } else {
    problem += std::to_string(expected_) + (expected_ == 1 ? " is expected" : " are expected");
    if (width_ == RowWidth::or_one_fewer && expected_ > 1) {
      problem += ", or " + std::to_string(expected_ - 1) + " without the label";
    }
  }
  Message remedy = other_format_hint(first_line_);
  if (remedy.empty()) remedy = other_format_hint(line);
  const bool unlabelled = width_ == RowWidth::as_expected && columns + 1 == expected_;
  if (unlabelled && columns_ == 0) {
    remedy = "the column of labels seems to be missing; croft predict labels such data";
  } else if (remedy.empty()) {
    remedy = "give every row the same columns; an empty cell needs a placeholder such as _";
  }
  throw InputError(lines_.location(), problem, line, remedy);
}

}  // namespace croft

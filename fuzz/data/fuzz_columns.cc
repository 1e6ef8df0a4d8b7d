// Any bytes as columns: an InputError, or tables that read back equal when written again, and that
// have every byte of the input but blanks and line ends.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "data/columns.h"
#include "support/content.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_columns {

namespace {

using croft::fuzz::content_of;
using croft::fuzz::without_mark;

// The input with one space between cells and one empty line behind each sequence.
std::string rewritten(std::string_view text) {
  croft::ColumnsReader reader(croft::LineReader(text, "fuzz"));
  croft::ColumnSequence sequence;
  std::string out;
  while (reader.next(sequence)) {
    require(sequence.rows() > 0 && sequence.first_line > 0, "a sequence without rows");
    for (std::size_t r = 0; r < sequence.rows(); ++r) {
      require(sequence.columns(r) == reader.columns(), "a row with another number of columns");
      for (std::size_t c = 0; c < sequence.columns(r); ++c) {
        require(!sequence.cell(r, c).empty(), "an empty cell");
        if (c > 0) out += ' ';
        out += sequence.cell(r, c);
      }
      out += '\n';
    }
    out += '\n';
  }
  return out;
}

// Whether the text is read with the number of columns that a model expects, here 3.
bool reads_with_expected_columns(std::string_view text, bool allow_fewer) {
  try {
    croft::ColumnsReader reader(
        croft::LineReader(text, "fuzz"), 3,
        allow_fewer ? croft::RowWidth::or_one_fewer : croft::RowWidth::as_expected);
    croft::ColumnSequence sequence;
    while (reader.next(sequence)) {
      require(reader.columns() == 3 || (allow_fewer && reader.columns() == 2), "a wrong column");
    }
    return true;
  } catch (const croft::InputError&) {
    return false;
  }
}

// What is kept of the input, with lines that begin with # ignored and the label in the first
// column.
std::string as_given(std::string_view text) {
  croft::LineReader lines(text, "fuzz");
  lines.keep_given();
  croft::ColumnsReader reader(std::move(lines), 0, croft::RowWidth::as_expected,
                              {.label_column = 1, .ignored = "^#"});
  croft::ColumnSequence sequence;
  croft::GivenLines given;
  std::string out;
  while (reader.next(sequence)) {
    reader.take_given(sequence.rows(), given);
    require(given.marked.size() == sequence.rows(), "rows that are not marked");
    for (std::size_t r = 0; r < sequence.rows(); ++r) {
      const auto [begin, end] = given.marked[r];
      require(given.text.substr(begin, end - begin) == sequence.line(r), "another line");
      const std::string_view label = sequence.cell(r, sequence.columns(r) - 1);
      require(sequence.line(r).starts_with(label), "a label of another column");
    }
    out += given.text;
  }
  reader.take_given(0, given);
  return out + given.text;
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_columns) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    require(as_given(text) == text, "the input is not given back");
  } catch (const croft::InputError&) {
  }
  const bool strict = reads_with_expected_columns(text, false);
  const bool lenient = reads_with_expected_columns(text, true);
  require(lenient || !strict, "allowing fewer columns rejects what is read without");
  std::string once;
  try {
    once = rewritten(text);
  } catch (const croft::InputError&) {
    require(!strict && !lenient, "rejected only without expected columns");
    return 0;
  }
  require(content_of(once) == content_of(without_mark(text)), "a part of a cell is lost");
  // A mark at the start of a file is skipped, so a first cell that begins with one loses it again.
  if (!once.starts_with("\xEF\xBB\xBF")) require(rewritten(once) == once, "not the same again");
  return 0;
}

}  // namespace fuzz_columns

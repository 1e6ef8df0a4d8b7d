// Tokens and labelled spans of them: JSON Lines, one sequence a line.
//
//   {"id": 7, "tokens": ["Real", "Madrid", "ganó"], "spans": [[0, 2, "ORG"]]}
//
// A token is a string, or a list of cells, of the same number everywhere.  A span is [start, end,
// label], half open, or {"start": …, "end": …, "label": …}, whose other keys mean nothing.  Without
// "spans" a sequence is not labelled.  "gold", likewise a list, is what "spans" is to be compared
// with.  Further keys are kept in `line`.  docs/formats.md has the rules.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "croft/data/line_reader.h"

namespace croft {

// Tokens [begin, end) and what they are; an empty label is one kind without a name.
struct LabelledSpan {
  std::size_t begin = 0, end = 0;
  std::string label;
  bool operator==(const LabelledSpan&) const = default;
};

struct SpanSequence {
  std::size_t columns = 1;         // cells of a token
  std::vector<std::string> cells;  // [T][columns]
  // In order, without overlap; none: the line has no such key.
  std::optional<std::vector<LabelledSpan>> spans, gold;
  std::string line;             // as it was read
  std::size_t line_number = 0;  // in the input, from 1

  std::size_t length() const { return cells.size() / columns; }
  const std::string& cell(std::size_t t, std::size_t column) const {
    return cells[t * columns + column];
  }
  // The labels that are taken for true: `gold` where the line has both.
  const std::optional<std::vector<LabelledSpan>>& reference() const { return gold ? gold : spans; }
};

// Streams sequences.  Lines of blanks are skipped; a sequence may have no token.
class SpanReader {
 public:
  // expected_columns 0: those of the first token.  Otherwise another number of cells is an error.
  explicit SpanReader(LineReader lines, std::size_t expected_columns = 0);

  // The next sequence, or false at the end.  Throws InputError (file, line, text, remedy) for what
  // is no JSON object, a key that stands twice, tokens without text, with NUL or of different
  // numbers of cells, spans that overlap, are empty or end after the last token, and values nested
  // more than 64 deep.
  bool next(SpanSequence& sequence);

  std::size_t columns() const { return columns_; }  // 0 before the first token
  const std::string& name() const { return lines_.name(); }

 private:
  LineReader lines_;
  std::size_t columns_ = 0, expected_;
};

// What the format has of a sequence: the tokens, and the lists of spans that there are.
Json span_object(const SpanSequence& sequence);
// The same as a line, with its newline.  Bytes that are not UTF-8 become replacement characters.
std::string span_line(const SpanSequence& sequence);

}  // namespace croft

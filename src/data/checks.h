// What a front end asks of its data beyond the format: one clear error each.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include "core/unicode.h"
#include "croft/data/line_reader.h"
#include "croft/data/text_sequence.h"
#include "data/columns.h"

namespace croft {

// For a front end whose reader met no sequence at all.  `name` is the reader's.
[[noreturn]] void fail_no_sequences(const std::string& name);

// For training: throws InputError where a sequence has no labels.
void require_labels(const TextSequence& sequence, const std::string& name);
// The same for columns, where the last column is the label: a row needs a column before it.
void require_labels(const ColumnSequence& sequence, const std::string& name);

// Scores are sums of value times weight in single precision: far larger numbers than these
// overflow. Throws InputError for a weight of the sequence, or a value of an attribute, above 1e15.
void check_sizes(const TextSequence& sequence, const std::string& file);
// The same of one value of a sequence that begins there.
void check_value(double value, const Location& sequence);

// What every line of data must be, whatever its format.
inline constexpr std::string_view kBlanks = " \t";

// Without the blanks at its two ends.
inline std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Throws InputError for a NUL byte, and for a carriage return, in the line last read.
inline void require_plain_text(std::string_view line, const LineReader& lines) {
  if (const std::size_t nul = line.find('\0'); nul != line.npos) {
    throw InputError(
        lines.location(nul + 1), "a NUL byte", line,
        "give plain UTF-8 text: this looks like UTF-16, a binary or a compressed file");
  }
  if (const std::size_t cr = line.find('\r'); cr != line.npos) {
    throw InputError(lines.location(cr + 1), "a carriage return inside a line", line,
                     "end every line with a newline, or with one carriage return and a newline");
  }
}

// The same, and for what is not UTF-8: of text that becomes JSON.
inline void require_plain_utf8(std::string_view line, const LineReader& lines) {
  require_plain_text(line, lines);
  if (is_valid_utf8(line)) return;
  throw InputError(lines.location(), "a line that is not UTF-8", line,
                   "convert the file to UTF-8 first");
}

// What to say of the first line that is not UTF-8, where it is read as it stands.
std::string not_utf8_warning(const Location& at);

// True where sentences, which an empty line ends, would be longer on average than any is; who has
// genomes can pass over the question.
bool lacks_empty_lines(std::size_t sequences, std::size_t positions);

}  // namespace croft

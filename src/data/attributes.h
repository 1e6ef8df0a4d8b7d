// CRFsuite's attribute lines: LABEL TAB ATTRIBUTE[:VALUE] TAB …, an empty line between sequences.
// docs/formats.md has the rules, and where they are stricter than CRFsuite's.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "core/byte_places.h"
#include "croft/data/line_reader.h"
#include "croft/data/text_sequence.h"

namespace croft {

// The lines of one sequence as they were read, each with its newline: the first field is the label.
struct AttributeLines {
  std::string text;
  std::size_t first_line = 0;  // its number in the input; the others follow it
};

// The attributes that their other fields are, as lists, one a line.  Throws InputError as
// AttributesReader::next() does for what is wrong in them, of the file of that name.
void parse_attributes(const AttributeLines& lines, const std::string& file, StringLists& out);

// The same bit by bit, for who recognises most fields as they stand: field(t, text) for each that
// is not empty, end_line(t) behind those of a line.
template <class Field, class EndLine>
void for_each_field(const AttributeLines& lines, const Field& field, const EndLine& end_line) {
  const char* const text = lines.text.data();
  std::size_t t = 0, begin = 0;
  bool label = true;
  for_each_byte(lines.text, '\t', '\n', [&](std::size_t end) {
    if (end > begin && !label) field(t, std::string_view(text + begin, end - begin));
    begin = end + 1;
    label = text[end] == '\n';
    if (label) end_line(t++);
  });
}
// Appends the attribute that such a field is.
void parse_field(const AttributeLines& lines, const std::string& file, std::size_t t,
                 std::string_view field, StringLists& out);

class AttributesReader {
 public:
  // allow_unlabelled: for prediction, lines may start with a TAB (an empty label), as long as all
  // items of the input agree; their sequences have no labels.  Otherwise such a line is an error.
  explicit AttributesReader(LineReader lines, bool allow_unlabelled = false);

  // The next sequence (node attributes, labels, weight), or false at the end.  Throws InputError
  // (file, line, column in bytes, text, remedy) at a second unescaped colon, a value that is not a
  // finite number, an empty or reserved attribute name, an empty label, a colon in a label, a NUL
  // byte, an unknown @ directive, a weight that is not a positive number, a directive after the
  // first item of its sequence or without a sequence; at the end of an input without any TAB where
  // the first label has a blank, as rows of columns have.
  bool next(TextSequence& sequence);
  // Without the attributes, whose lists are empty: parse_attributes() has them, and what is wrong
  // in them.
  bool next(TextSequence& sequence, AttributeLines& lines);
  const std::string& name() const { return lines_.name(); }

 private:
  bool read(TextSequence& sequence, AttributeLines& lines);
  void check_bytes(std::string_view line) const;
  void check_tabs() const;
  void read_directive(std::string_view line, TextSequence& sequence) const;
  void read_label(std::string_view line, std::string_view label, TextSequence& sequence);
  [[noreturn]] void fail(std::string_view line, std::string_view field, std::string_view problem,
                         std::string_view remedy) const;

  LineReader lines_;
  bool allow_unlabelled_;
  bool labelled_ = true;             // as the first item of the input is
  std::size_t first_item_line_ = 0;  // 0 before it
  std::string first_item_;           // until a line has a TAB
  bool any_tab_ = false;
  AttributeLines read_;
};

// Writes a label or an attribute name so that an AttributesReader reads it back: `\` and `:`
// escaped. Throws Error when the format has no way to write it: empty, or with a TAB, newline,
// carriage return or NUL.
std::string escape_attribute(std::string_view text);

}  // namespace croft

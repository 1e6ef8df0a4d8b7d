// CRFsuite's attribute lines: LABEL TAB ATTRIBUTE[:VALUE] TAB …, an empty line between sequences.
// docs/formats.md has the rules, and where they are stricter than CRFsuite's.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "croft/data/line_reader.h"
#include "croft/data/text_sequence.h"

namespace croft {

class AttributesReader {
 public:
  // allow_unlabelled: for prediction, lines may start with a TAB (an empty label), as long as all
  // items of the input agree; their sequences have no labels.  Otherwise such a line is an error.
  explicit AttributesReader(LineReader lines, bool allow_unlabelled = false);

  // The next sequence (node attributes, labels, weight), or false at the end.  Throws InputError
  // (file, line, column in bytes, text, remedy) at a second unescaped colon, a value that is not a
  // finite number, an empty or reserved attribute name, an empty label, a colon in a label, a NUL
  // byte, an unknown @ directive, a weight that is not a positive number, a directive after the
  // first item of its sequence or without a sequence.
  bool next(TextSequence& sequence);
  const std::string& name() const { return lines_.name(); }
  bool ready() const { return lines_.ready(); }  // as LineReader

 private:
  void check_bytes(std::string_view line) const;
  void read_directive(std::string_view line, TextSequence& sequence) const;
  void read_item(std::string_view line, TextSequence& sequence);
  void read_label(std::string_view line, std::string_view label, TextSequence& sequence);
  void read_attribute(std::string_view line, std::string_view field, StringLists& out) const;
  [[noreturn]] void fail(std::string_view line, std::string_view field, std::string_view problem,
                         std::string_view remedy) const;

  LineReader lines_;
  bool allow_unlabelled_;
  bool labelled_ = true;             // as the first item of the input is
  std::size_t first_item_line_ = 0;  // 0 before it
};

// Writes a label or an attribute name so that an AttributesReader reads it back: `\` and `:`
// escaped. Throws Error when the format has no way to write it: empty, or with a TAB, newline,
// carriage return or NUL.
std::string escape_attribute(std::string_view text);

}  // namespace croft

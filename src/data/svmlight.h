// Sparse numbers (SVMlight, LIBSVM): LABEL [qid:N] INDEX:VALUE … [# comment], one position a line.
// docs/formats.md has the rules.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "croft/data/line_reader.h"
#include "croft/data/text_sequence.h"

namespace croft {

class SvmlightReader {
 public:
  // allow_unlabelled: for prediction, rows may lack the label, as long as all rows of the input
  // agree; their sequences have no labels.  Otherwise such a row is an error.
  explicit SvmlightReader(LineReader lines, bool allow_unlabelled = false);

  // The next sequence, or false at the end: a row, or all rows that follow each other with the same
  // qid.  The attribute of an index is its number as text.  Throws InputError (file, line, column
  // in bytes, text, remedy) at a field that is not INDEX:VALUE, an index that is 0, too large or
  // not above the one before it, a value that is not a finite number, a qid that is not a whole
  // number or not the first field behind the label, a missing label, and at a row with a qid among
  // rows without.
  bool next(TextSequence& sequence);

  // Whether rows have a qid, as the first one has; false before it.
  bool has_groups() const { return has_groups_; }
  const std::string& name() const { return lines_.name(); }

 private:
  struct Row {
    std::string label, group;  // group: the text of the qid
    StringLists items;         // one list
    std::size_t line = 0;      // 0: there is none
  };
  bool read_row();
  void parse(std::string_view line);
  void read_group(std::string_view line, std::string_view field);
  void read_item(std::string_view line, std::string_view field, std::uint64_t& last);
  void require_agreement(std::string_view line, bool labelled, bool grouped);
  void append_row(TextSequence& sequence) const;
  [[noreturn]] void fail(std::string_view line, std::string_view field, std::string_view problem,
                         std::string_view remedy) const;

  LineReader lines_;
  bool allow_unlabelled_;
  bool labelled_ = true, has_groups_ = false;  // as the first row is
  std::size_t first_row_line_ = 0;             // 0 before it
  Row row_;                                    // read, and not yet handed on
};

}  // namespace croft

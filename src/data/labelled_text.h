// Texts with a label: LABEL TAB TEXT, one a line.  docs/formats.md has the rules.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "croft/data/line_reader.h"

namespace croft {

struct LabelledText {
  std::string label;  // empty where the input has none
  std::string text;   // as read, without the line end
  std::size_t line = 0;
};

class LabelledTextReader {
 public:
  // allow_unlabelled: for prediction, lines may be texts alone (without a TAB, or behind one at the
  // start of the line), as long as all lines of the input agree.  Otherwise such a line is an
  // error.
  explicit LabelledTextReader(LineReader lines, bool allow_unlabelled = false);

  // The next text, or false at the end.  Lines of blanks are skipped in labelled data; in data
  // without labels each is an empty text, so that there is an answer to every line.  Throws
  // InputError (file, line, column in bytes, text, remedy) at a line without a label, a label of
  // only spaces, and the bytes 0x00, 0x01 and carriage return.
  bool next(LabelledText& out);

  bool labelled() const { return labelled_; }  // as the first line with something in it
  const std::string& name() const { return lines_.name(); }
  void take_given(GivenLines& out) { lines_.take_given(1, out); }

 private:
  void parse(std::string_view line, LabelledText& out);
  [[noreturn]] void fail(std::string_view line, std::size_t at, std::string_view problem,
                         std::string_view remedy) const;

  LineReader lines_;
  bool allow_unlabelled_;
  bool labelled_ = true;
  std::size_t first_line_ = 0;      // that has something in it; 0 before it
  std::size_t empty_in_front_ = 0;  // lines of blanks before it, and not yet handed on
  LabelledText held_;               // the first line, while these are handed on
};

}  // namespace croft

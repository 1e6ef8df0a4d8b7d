#include "data/labelled_text.h"

#include <utility>

#include "data/checks.h"

namespace croft {
namespace {

// A TAB at the front makes a text of a line, also of one with nothing behind it.
bool is_empty(std::string_view line) { return line.find_first_not_of(' ') == line.npos; }

}  // namespace

LabelledTextReader::LabelledTextReader(LineReader lines, bool allow_unlabelled)
    : lines_(std::move(lines)), allow_unlabelled_(allow_unlabelled) {}

bool LabelledTextReader::next(LabelledText& out) {
  if (held_.line > 0) {
    if (empty_in_front_ == 0) {
      out = std::exchange(held_, {});
    } else {
      out = {"", "", held_.line - empty_in_front_--};
    }
    return true;
  }
  std::string_view line;
  while (lines_.next(line)) {
    if (!is_empty(line)) {
      const bool first = first_line_ == 0;
      parse(line, out);
      if (first && labelled_) lines_.unmark_given();
      lines_.mark_given();
      if (!first || labelled_ || empty_in_front_ == 0) return true;
      held_ = std::move(out);
      return next(out);
    }
    if (first_line_ == 0 || !labelled_) lines_.mark_given();
    if (first_line_ == 0) {
      ++empty_in_front_;
    } else if (!labelled_) {
      out = {"", "", lines_.line_number()};
      return true;
    }
  }
  return false;
}

void LabelledTextReader::parse(std::string_view line, LabelledText& out) {
  require_plain_text(line, lines_);
  if (const std::size_t at = line.find('\x01'); at != line.npos) {
    fail(line, at, "a byte 0x01, which is reserved", "delete it, or write a space for it");
  }
  const std::size_t tab = line.find('\t');
  const std::string_view label = line.substr(0, tab == line.npos ? 0 : tab);
  const bool labelled = !label.empty();
  if (!labelled && !allow_unlabelled_) {
    fail(line, 0, "a line without a label", "write LABEL, a TAB and the text");
  }
  if (labelled && is_empty(label)) {
    fail(line, 0, "a label of only spaces", "write the label before the first TAB");
  }
  if (first_line_ == 0) {
    labelled_ = labelled;
    first_line_ = lines_.line_number();
  }
  if (labelled != labelled_) {
    fail(line, 0,
         std::string(labelled ? "a line with a label" : "a line without a label") +
             ", unlike line " + std::to_string(first_line_),
         "label every line, or none; a text with TABs and without a label starts with a TAB");
  }
  out.label = label;
  out.text = line.substr(tab == line.npos ? 0 : tab + 1);
  out.line = lines_.line_number();
}

void LabelledTextReader::fail(std::string_view line, std::size_t at, std::string_view problem,
                              std::string_view remedy) const {
  throw InputError(lines_.location(at + 1), problem, line, remedy);
}

}  // namespace croft

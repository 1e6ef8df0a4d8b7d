#include "data/svmlight.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/parse_number.h"
#include "data/checks.h"

namespace croft {
namespace {

constexpr std::string_view kGroup = "qid:";

// Cuts the text up to the next blank off `rest`, and the blanks before it; empty at the end.
std::string_view cut_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  const std::string_view field = rest.substr(0, rest.find_first_of(kBlanks));
  rest.remove_prefix(field.size());
  return field;
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

SvmlightReader::SvmlightReader(LineReader lines, bool allow_unlabelled)
    : lines_(std::move(lines)), allow_unlabelled_(allow_unlabelled) {}

bool SvmlightReader::next(TextSequence& sequence) {
  sequence.clear();
  if (row_.line == 0 && !read_row()) return false;
  sequence.first_line = row_.line;
  const std::string group = row_.group;
  do {
    append_row(sequence);
    row_.line = 0;
  } while (has_groups_ && read_row() && row_.group == group);
  if (labelled_) sequence.labels.end_list();
  return true;
}

void SvmlightReader::append_row(TextSequence& sequence) const {
  const StringLists& items = row_.items;
  for (std::size_t k = 0; k < items.items(); ++k)
    sequence.node.append(items.item(k), items.value(k));
  sequence.node.end_list();
  if (labelled_) sequence.labels.append(row_.label);
}

// Fills row_; false at the end.  Lines of blanks and of comments are skipped.
bool SvmlightReader::read_row() {
  std::string_view line;
  while (lines_.next(line)) {
    std::string_view rest = line;
    const std::string_view first = cut_word(rest);
    if (first.empty() || first.front() == '#') continue;
    require_plain_text(line, lines_);
    parse(line);
    row_.line = lines_.line_number();
    return true;
  }
  return false;
}

// The label is the first field where that has no colon; a # in it belongs to it, and starts a
// comment anywhere else.
void SvmlightReader::parse(std::string_view line) {
  row_.items.clear();
  row_.group.clear();
  std::string_view rest = line;
  std::string_view field = cut_word(rest);
  const bool labelled = field.find(':') == field.npos;
  row_.label = labelled ? field : std::string_view();
  if (!labelled) rest = line;
  rest = rest.substr(0, rest.find('#'));
  if (!labelled && !allow_unlabelled_) {
    fail(line, field, "a row without a label", "write the label in front of its values");
  }
  field = cut_word(rest);
  const bool grouped = field.starts_with(kGroup);
  require_agreement(line, labelled, grouped);
  if (grouped) {
    read_group(line, field);
    field = cut_word(rest);
  }
  for (std::uint64_t last = 0; !field.empty(); field = cut_word(rest)) {
    read_item(line, field, last);
  }
  row_.items.end_list();
}

// The first row settles what rows have.
void SvmlightReader::require_agreement(std::string_view line, bool labelled, bool grouped) {
  if (first_row_line_ == 0) {
    labelled_ = labelled;
    has_groups_ = grouped;
    first_row_line_ = lines_.line_number();
  }
  const std::string unlike = ", unlike line " + std::to_string(first_row_line_);
  if (labelled != labelled_) {
    fail(line, line, (labelled ? "a row with a label" : "a row without a label") + unlike,
         "give every row a label, or none");
  }
  if (grouped != has_groups_) {
    fail(line, line, (grouped ? "a row with a qid" : "a row without a qid") + unlike,
         "give every row the qid of its sequence, or none");
  }
}

void SvmlightReader::read_group(std::string_view line, std::string_view field) {
  row_.group = field.substr(kGroup.size());
  if (is_digits(row_.group)) return;
  fail(line, field, "a qid that is not a whole number",
       "write qid:N, with a number for a sequence");
}

void SvmlightReader::read_item(std::string_view line, std::string_view field, std::uint64_t& last) {
  const std::size_t colon = std::min(field.find(':'), field.size());
  const std::string_view digits = field.substr(0, colon);
  if (digits == "qid") {
    fail(line, field, "a qid behind a value, or a second one", "write it once, behind the label");
  }
  if (colon == field.size() || !is_digits(digits)) {
    fail(line, field, "a field that is not INDEX:VALUE",
         "write a whole number from 1 on, a colon and the value, without blanks");
  }
  std::uint64_t index = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (fault != std::errc()) {
    fail(line, field, "an index above 18446744073709551615", "number the values from 1 on");
  }
  if (index == 0) fail(line, field, "the index 0", "add 1 to all of them: indices count from 1");
  if (index == last) {
    fail(line, field, "an index twice in a row", "give each index one value");
  }
  if (index < last) {
    fail(line, field, "an index below the one before it, " + std::to_string(last),
         "sort each row by its indices");
  }
  last = index;
  double value = 0;
  const NumberKind kind = parse_number(field.substr(colon + 1), value);
  if (kind == NumberKind::not_a_number) {
    fail(line, field, "a value that is not a number", "write INDEX:NUMBER, without blanks");
  }
  if (kind == NumberKind::not_finite) {
    fail(line, field, "a value that is not a finite number",
         "give it a finite value, or leave the index out");
  }
  row_.items.append(digits.substr(digits.find_first_not_of('0')), value);
}

// `field` is a part of `line`, which is the line last read.
void SvmlightReader::fail(std::string_view line, std::string_view field, std::string_view problem,
                          std::string_view remedy) const {
  const auto offset = static_cast<std::size_t>(field.data() - line.data());
  throw InputError(lines_.location(offset + 1), problem, field, remedy);
}

}  // namespace croft

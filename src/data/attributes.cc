#include "data/attributes.h"

#include <algorithm>
#include <utility>

#include "core/parse_number.h"

namespace croft {
namespace {

constexpr auto kNone = std::string_view::npos;
constexpr char kReserved = '\x01';  // first byte of the names that croft makes up for itself
constexpr std::string_view kColonRemedy = "write \\: for a colon that belongs to the name";
constexpr std::string_view kWeightRemedy = "write @weight:NUMBER, with a number above 0";

// Cuts the text before the next TAB off `rest`.
std::string_view cut_field(std::string_view& rest) {
  const std::size_t tab = rest.find('\t');
  const std::string_view field = rest.substr(0, tab);
  rest.remove_prefix(tab == kNone ? rest.size() : tab + 1);
  return field;
}

bool is_escape(std::string_view text, std::size_t backslash) {
  return backslash + 1 < text.size() && (text[backslash + 1] == ':' || text[backslash + 1] == '\\');
}

// The first colon that no backslash escapes.
std::size_t find_colon(std::string_view text) {
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == ':') return k;
    if (text[k] == '\\' && is_escape(text, k)) ++k;
  }
  return kNone;
}

void append_unescaped(std::string_view text, std::string& out) {
  for (;;) {
    const std::size_t backslash = text.find('\\');
    out += text.substr(0, backslash);
    if (backslash == kNone) return;
    const bool escape = is_escape(text, backslash);
    out += escape ? text[backslash + 1] : '\\';
    text.remove_prefix(backslash + (escape ? 2 : 1));
  }
}

}  // namespace

AttributesReader::AttributesReader(LineReader lines, bool allow_unlabelled)
    : lines_(std::move(lines)), allow_unlabelled_(allow_unlabelled) {}

bool AttributesReader::next(TextSequence& sequence) {
  if (!next(sequence, read_)) return false;
  parse_attributes(read_, name(), sequence.node);
  return true;
}

// What is wrong in a line comes before what is wrong in a later one.
bool AttributesReader::next(TextSequence& sequence, AttributeLines& lines) {
  try {
    return read(sequence, lines);
  } catch (const InputError&) {
    parse_attributes(lines, name(), sequence.node);
    throw;
  }
}

bool AttributesReader::read(TextSequence& sequence, AttributeLines& lines) {
  sequence.clear();
  lines.text.clear();
  std::size_t directive_line = 0;
  std::string_view line;
  while (lines_.next(line)) {
    if (line.empty()) {
      if (sequence.length() > 0 || directive_line > 0) break;
      continue;
    }
    check_bytes(line);
    if (line.front() == '@') {
      if (sequence.length() > 0) {
        fail(line, line, "a directive inside a sequence",
             "put it before the first item of its sequence; a label cannot start with @");
      }
      if (directive_line > 0) {
        fail(line, line, "a second weight for one sequence", "keep one of them");
      }
      read_directive(line, sequence);
      directive_line = lines_.line_number();
      continue;
    }
    if (sequence.length() == 0) sequence.first_line = lines.first_line = lines_.line_number();
    std::string_view rest = line;
    const std::string_view label = cut_field(rest);
    any_tab_ = any_tab_ || label.size() < line.size();
    read_label(line, label, sequence);
    lines.text.append(line) += '\n';
    sequence.node.end_list();
  }
  if (sequence.length() == 0 && directive_line > 0) {
    throw InputError({name(), directive_line}, "a weight without a sequence", "",
                     "put the items on the lines right below it, or delete it");
  }
  if (sequence.length() > 0 && labelled_) sequence.labels.end_list();
  if (sequence.length() == 0) check_tabs();
  return sequence.length() > 0;
}

// At the end of the input: labels with blanks, and not one attribute, are rows of columns.
void AttributesReader::check_tabs() const {
  if (any_tab_ || first_item_.find(' ') == kNone) return;
  throw InputError(
      {name(), first_item_line_}, "no line has a TAB, so no item has an attribute", first_item_,
      {"put a TAB behind the label and between attributes; rows of columns with blanks "
       "between are ",
       Message::option("format"), " columns"});
}

void AttributesReader::check_bytes(std::string_view line) const {
  if (const std::size_t nul = line.find('\0'); nul != kNone) {
    throw InputError(
        lines_.location(nul + 1), "a NUL byte", line,
        "give plain UTF-8 text: this looks like UTF-16, a binary or a compressed file");
  }
  if (const std::size_t cr = line.find('\r'); cr != kNone) {
    throw InputError(lines_.location(cr + 1), "a carriage return inside a line", line,
                     "end every line with a newline, or with one carriage return and a newline");
  }
}

void AttributesReader::read_directive(std::string_view line, TextSequence& sequence) const {
  std::string_view rest = line;
  const std::string_view field = cut_field(rest);
  const std::string_view name = field.substr(0, field.find(':'));
  if (name != "@weight") {
    fail(line, field, "an unknown directive",
         "the only one is @weight:NUMBER; a label cannot start with @");
  }
  if (rest.find_first_not_of('\t') != kNone) {
    fail(line, rest, "text behind a directive", "give the directive a line of its own");
  }
  double weight = 0;
  const std::string_view value = field.substr(std::min(name.size() + 1, field.size()));
  if (parse_number(value, weight) != NumberKind::finite || !(weight > 0)) {
    fail(line, field, "a weight that is not a positive finite number", kWeightRemedy);
  }
  sequence.weight = weight;
  sequence.weight_given = true;
}

void AttributesReader::read_label(std::string_view line, std::string_view label,
                                  TextSequence& sequence) {
  const bool labelled = !label.empty();
  if (labelled && label.find_first_not_of(' ') == kNone) {
    fail(line, label, "a label of only spaces",
         "write the label before the first TAB, or empty the line to end the sequence");
  }
  if (!labelled && !allow_unlabelled_) {
    fail(line, line, "a line that starts with a TAB has no label",
         "write the label before the first TAB, or empty the line to end the sequence");
  }
  if (first_item_line_ == 0) {
    labelled_ = labelled;
    first_item_line_ = lines_.line_number();
    first_item_ = line;
  }
  if (labelled != labelled_) {
    fail(line, line,
         std::string(labelled ? "an item with a label" : "an item without a label") +
             ", unlike line " + std::to_string(first_item_line_),
         "label every item, or start every line with a TAB");
  }
  if (!labelled) return;
  if (find_colon(label) != kNone) {
    fail(line, label, "a colon in a label", "write \\: for a colon that belongs to the label");
  }
  append_unescaped(label, sequence.labels.bytes());
  sequence.labels.end_item();
}

// `field` is a part of `line`, which is the line last read.
void AttributesReader::fail(std::string_view line, std::string_view field, std::string_view problem,
                            std::string_view remedy) const {
  const auto offset = static_cast<std::size_t>(field.data() - line.data());
  throw InputError(lines_.location(offset + 1), problem, field, remedy);
}

namespace {

// Where a field stands, for what is wrong with it.
struct FieldPlace {
  const AttributeLines& lines;
  const std::string& file;
  std::size_t t;
  std::string_view field;

  [[noreturn]] void fail(std::string_view problem, std::string_view remedy) const {
    const auto at = static_cast<std::size_t>(field.data() - lines.text.data());
    const std::size_t begin = lines.text.rfind('\n', at) + 1;  // 0 in the first line
    throw InputError({file, lines.first_line + t, at - begin + 1}, problem, field, remedy);
  }
};

// An attribute of the general form NAME, NAME: or NAME:VALUE, the name with escapes.
void parse_attribute(const FieldPlace& place, StringLists& out) {
  const std::string_view field = place.field;
  const std::size_t colon = find_colon(field);
  const std::string_view name = field.substr(0, colon);
  if (name.empty()) place.fail("an attribute without a name", "write NAME or NAME:VALUE");
  if (name.front() == kReserved) {
    place.fail("an attribute name that starts with byte 0x01, which is reserved",
               "rename the attribute");
  }
  double value = 1;
  const std::string_view number = colon == kNone ? "" : field.substr(colon + 1);
  if (!number.empty()) {
    if (find_colon(number) != kNone) place.fail("a second colon in an attribute", kColonRemedy);
    const NumberKind kind = parse_number(number, value);
    if (kind == NumberKind::not_a_number) {
      place.fail("a value that is not a number",
                 std::string("write NAME:NUMBER; ").append(kColonRemedy));
    }
    if (kind == NumberKind::not_finite) {
      place.fail("a value that is not a finite number",
                 "give it a finite value, or leave the attribute out");
    }
  }
  append_unescaped(name, out.bytes());
  out.end_item(value);
}

}  // namespace

void parse_field(const AttributeLines& lines, const std::string& file, std::size_t t,
                 std::string_view field, StringLists& out) {
  parse_attribute({lines, file, t, field}, out);
}

void parse_attributes(const AttributeLines& lines, const std::string& file, StringLists& out) {
  out.clear();
  // Most data has neither values nor escapes: its lines are only cut at the TABs.
  const bool plain = lines.text.find(':') == kNone && lines.text.find('\\') == kNone;
  for_each_field(
      lines,
      [&](std::size_t t, std::string_view field) {
        if (plain && field.front() != kReserved) {
          out.append(field);
        } else {
          parse_attribute({lines, file, t, field}, out);
        }
      },
      [&](std::size_t) { out.end_list(); });
}

std::string escape_attribute(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.empty() || text.find_first_of("\t\n\r\0"sv) != kNone) {
    throw Error("cannot write " + in_quotes(text) +
                " in the attributes format; a name needs at least one byte, and no TAB, newline, "
                "carriage return or NUL");
  }
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace croft

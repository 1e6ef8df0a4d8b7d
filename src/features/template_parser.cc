#include "features/template_parser.h"

#include <charconv>
#include <optional>

namespace croft {
namespace {

constexpr std::int32_t kCrfppReach = 8;  // rows to either side; CRF++ refuses more

// Reads one line of a template file from left to right.
class LineParser : LineScanner {
 public:
  LineParser(std::string_view line, const std::string& name, std::size_t number,
             TemplateLanguage language, std::span<const std::string> names)
      : LineScanner(line, name, number),
        wapiti_(language != TemplateLanguage::crfpp),
        alphabet_(language == TemplateLanguage::wapiti_bytes ? Alphabet::bytes : Alphabet::unicode),
        names_(names) {}

  TemplateSet::Template parse();

 private:
  char peek() const { return at_ < line_.size() ? line_[at_] : '\0'; }
  void skip_blanks() {
    while (wapiti_ && at_ < line_.size() &&
           kTemplateBlanks.find(line_[at_]) != kTemplateBlanks.npos)
      ++at_;
  }

  void parse_kind();
  void parse_text();
  void parse_macro();
  TemplatePiece::Kind parse_macro_name(std::size_t begin, bool& lower);
  void parse_place(TemplatePiece& piece, std::size_t begin);
  void parse_regex(TemplatePiece& piece, std::size_t begin);
  std::optional<std::int32_t> parse_number(bool with_sign);
  std::optional<std::int32_t> parse_column();
  std::string form(char name) const;

  bool wapiti_;
  Alphabet alphabet_;  // of regular expressions
  std::span<const std::string> names_;
  TemplateSet::Template out_;
};

TemplateSet::Template LineParser::parse() {
  out_.line = line_;
  out_.number = number_;
  parse_kind();
  while (at_ < line_.size()) {
    if (line_[at_] == '%') {
      parse_macro();
    } else {
      parse_text();
    }
  }
  return std::move(out_);
}

// The first character says where the template applies, and is part of the string that it makes.
void LineParser::parse_kind() {
  char kind = line_[0];
  if (wapiti_ && (kind == 'U' || kind == 'B')) kind = kind == 'U' ? 'u' : 'b';
  const bool star = wapiti_ && kind == '*';
  out_.on_nodes = star || kind == (wapiti_ ? 'u' : 'U');
  out_.on_edges = star || kind == (wapiti_ ? 'b' : 'B');
  if (!out_.on_nodes && !out_.on_edges) {
    fail(0,
         wapiti_ ? Message("a Wapiti pattern starts with u, b or *")
                 : "a CRF++ template starts with U or B",
         "start the line with one of them, or with # to make it a comment");
  }
  out_.pieces.emplace_back().text = kind;
  ++at_;
}

void LineParser::parse_text() {
  const std::string_view text = line_.substr(at_, line_.find('%', at_) - at_);
  if (out_.pieces.back().kind != TemplatePiece::Kind::text) out_.pieces.emplace_back();
  out_.pieces.back().text += text;
  at_ += text.size();
}

void LineParser::parse_macro() {
  const std::size_t begin = at_++;
  TemplatePiece piece;
  piece.kind = parse_macro_name(begin, piece.lower);
  parse_place(piece, begin);
  if (piece.kind != TemplatePiece::Kind::cell) parse_regex(piece, begin);
  if (!take("]")) {
    fail(at_, "the macro has no \"]\" here", "write it as " + form(line_[begin + 1]));
  }
  out_.pieces.push_back(std::move(piece));
}

TemplatePiece::Kind LineParser::parse_macro_name(std::size_t begin, bool& lower) {
  const char name = peek();
  lower = wapiti_ && name >= 'A' && name <= 'Z';
  const char plain = lower ? static_cast<char>(name - 'A' + 'a') : name;
  ++at_;
  if (plain == 'x') return TemplatePiece::Kind::cell;
  if (wapiti_ && plain == 't') return TemplatePiece::Kind::test;
  if (wapiti_ && plain == 'm') return TemplatePiece::Kind::match;
  const std::string problem = begin + 1 < line_.size()
                                  ? "unknown macro " + in_quotes(line_.substr(begin, 2))
                                  : std::string("\"%\" at the end begins no macro");
  fail(begin, problem,
       wapiti_ ? Message("Wapiti's language has %x, %t and %m, and no way to write a \"%\"")
               : "CRF++'s language has %x only, and no way to write a \"%\"; Wapiti's "
                 "(--template-language wapiti) has also %t and %m");
}

// "[row,column" of either language.
void LineParser::parse_place(TemplatePiece& piece, std::size_t begin) {
  const std::string remedy = "write the macro as " + form(line_[begin + 1]);
  if (!take("[")) fail(at_, "a macro goes on with \"[\"", remedy);
  piece.absolute = wapiti_ && take("@");
  skip_blanks();
  const std::size_t row_at = at_;
  const std::optional<std::int32_t> row = parse_number(true);
  if (!row || !take(",")) fail(row_at, "a bad row in a macro", remedy);
  if (!wapiti_ && (*row < -kCrfppReach || *row > kCrfppReach)) {
    fail(row_at, "a row farther away than 8",
         "CRF++'s language reaches from -8 to 8; Wapiti's (--template-language wapiti) has no "
         "bound");
  }
  skip_blanks();
  const std::size_t column_at = at_;
  piece.named = !names_.empty() && !(peek() >= '0' && peek() <= '9');
  const std::optional<std::int32_t> column = parse_column();
  if (!column) fail(column_at, "a bad column in a macro", remedy);
  piece.position = *row;
  piece.column = static_cast<std::uint32_t>(*column);
}

// ,"regular expression"
void LineParser::parse_regex(TemplatePiece& piece, std::size_t begin) {
  if (!take(",\"")) {
    fail(at_, "a regular expression in double quotes is missing here",
         "write the macro as " + form(line_[begin + 1]));
  }
  const std::size_t start = at_;
  while (at_ < line_.size() && line_[at_] != '"') at_ += line_[at_] == '\\' ? 2 : 1;
  if (at_ >= line_.size()) {
    fail(start, "the regular expression does not end",
         "close it with a double quote (a \"#\" starts a comment, even here)");
  }
  try {
    piece.regex = static_cast<std::uint32_t>(out_.regexes.size());
    out_.regexes.emplace_back(line_.substr(start, at_ - start), alphabet_);
  } catch (const Error& error) {
    fail(start, std::string("a bad regular expression: ") + error.what(),
         "see docs/templates.md for what Wapiti's expressions may contain");
  }
  ++at_;
}

// A decimal number that fits 32 bits; a sign where the language allows it.
std::optional<std::int32_t> LineParser::parse_number(bool with_sign) {
  const bool plus = with_sign && wapiti_ && take("+");
  if (peek() == '-' && (plus || !with_sign)) return std::nullopt;
  std::int32_t value = 0;
  const char* const begin = line_.data() + at_;
  const auto [end, error] = std::from_chars(begin, line_.data() + line_.size(), value);
  if (error != std::errc{}) return std::nullopt;
  at_ += static_cast<std::size_t>(end - begin);
  return value;
}

// A number, or the name of a column that has one.
std::optional<std::int32_t> LineParser::parse_column() {
  if (names_.empty() || (peek() >= '0' && peek() <= '9')) return parse_number(false);
  const std::string_view name = line_.substr(at_, line_.find_first_of(",] ", at_) - at_);
  const auto found = std::ranges::find(names_, name);
  if (name.empty() || found == names_.end()) {
    std::string known;
    for (const std::string& each : names_) {
      if (!each.empty()) known += (known.empty() ? "" : ", ") + each;
    }
    fail(at_, "no column has the name " + in_quotes(name),
         "write a column's number, or one of " + known);
  }
  at_ += name.size();
  return static_cast<std::int32_t>(found - names_.begin());
}

std::string LineParser::form(char name) const {
  if (!wapiti_) return "%x[row,column] with numbers for both";
  const std::string place = std::string("%") + name + "[offset,column";
  return name == 'x' || name == 'X' ? place + "]" : place + ",\"expression\"]";
}

// Whether a line has a mark that CRF++'s language gives no meaning: %t, %m or a macro in upper
// case, or a "+", "@" or blank inside %x[...].
bool has_wapiti_macro(std::string_view line) {
  for (std::size_t at = line.find('%'); at != line.npos; at = line.find('%', at + 1)) {
    const char name = at + 1 < line.size() ? line[at + 1] : '\0';
    if (name == 't' || name == 'm' || name == 'X' || name == 'T' || name == 'M') return true;
    if (name != 'x' || !line.substr(at + 2).starts_with('[')) continue;
    const std::string_view place = line.substr(at + 3, line.find(']', at) - (at + 3));
    if (place.find_first_of("+@ \t") != place.npos) return true;
  }
  return false;
}

}  // namespace

TemplateLanguage recognise_language(std::string_view text) {
  bool wapiti = false;
  for_lines(text, [&](std::string_view line, std::size_t) {
    const std::size_t first = line.find_first_not_of(kTemplateBlanks);
    if (first == line.npos || line[0] == '#') return;
    wapiti = wapiti || line[0] == 'u' || line[0] == 'b' || line[0] == '*' || line[first] == '#' ||
             has_wapiti_macro(line);
  });
  return wapiti ? TemplateLanguage::wapiti : TemplateLanguage::crfpp;
}

std::vector<TemplateSet::Template> parse_templates(std::string_view text, const std::string& name,
                                                   TemplateLanguage language,
                                                   std::span<const std::string> names) {
  std::vector<TemplateSet::Template> templates;
  for_lines(text, [&](std::string_view line, std::size_t number) {
    if (language != TemplateLanguage::crfpp) {
      line = without_trailing_blanks(line.substr(0, line.find('#')));
    }
    if (line.starts_with('#') || without_trailing_blanks(line).empty()) return;
    templates.push_back(LineParser(line, name, number, language, names).parse());
  });
  if (templates.empty()) {
    throw InputError({name}, "the file has no template", "",
                     "give at least one, such as U:%x[0,0]");
  }
  return templates;
}

}  // namespace croft

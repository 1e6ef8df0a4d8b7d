#include "model/foreign/template_lines.h"

#include <charconv>

#include "croft/core/error.h"

namespace croft {
namespace {

// Rows before and after a sequence have names of their own up to there, in Wapiti's language.
constexpr int kWapitiReach = 4;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

int row_of(std::string_view line, const MacroPlace& macro) {
  int row = 0;
  std::from_chars(line.data() + macro.row_begin, line.data() + macro.row_end, row);
  return row;
}

// A template of one language with the macros of the other, which have to be plain cells.
template <class Refuse>
std::string canonical(std::string_view line, const Refuse& refuse) {
  std::string out;
  std::size_t done = 0;
  for (const MacroPlace& macro : macros_of(line)) {
    if (line[macro.begin + 1] != 'x') refuse("it has no other macro than %x");
    if (macro.absolute) refuse("it has no absolute rows");
    const int row = row_of(line, macro);
    if (row < -kWapitiReach || row > kWapitiReach) {
      refuse("beyond 4 rows the two programs have different names for rows outside a sequence");
    }
    const std::string_view column =
        line.substr(macro.column_begin, macro.column_end - macro.column_begin);
    out.append(line.substr(done, macro.begin - done)).append("%x[").append(std::to_string(row));
    out.append(",").append(column).append("]");
    done = macro.end;
  }
  return out.append(line.substr(done));
}

// Every "FROM-n" and "FROM+n" of a row outside a sequence under its other name.
void rename_outside(std::string& name, std::string_view from, std::string_view to) {
  for (std::size_t at = name.find(from); at != name.npos; at = name.find(from, at + 1)) {
    const std::size_t sign = at + from.size();
    if (sign + 1 >= name.size() || (name[sign] != '-' && name[sign] != '+')) continue;
    if (is_digit(name[sign + 1])) name.replace(at, from.size(), to);
  }
}

}  // namespace

std::size_t times_at_edges(const TemplateSet& templates, std::string_view name) {
  std::size_t times = 0;
  std::string made;
  for (std::size_t k = 0; k < templates.size(); ++k) {
    if (!templates.on_edges(k) || !templates.is_constant(k)) continue;
    made.clear();
    templates.expand(k, ColumnSequence(), 0, made);
    times += made == name ? 1 : 0;
  }
  return times;
}

namespace {

// Whether a line becomes the string for some texts in the place of its macros: none or more bytes
// for a match, one or more for a cell and for a test.
bool may_become(std::string_view line, std::string_view name) {
  std::size_t from = 0, at = 0;  // of the line and of the name, behind what was found
  for (const MacroPlace& macro : macros_of(line)) {
    const std::string_view piece = line.substr(from, macro.begin - from);
    const std::size_t found = name.find(piece, at);
    if (found == name.npos || (from == 0 && found > 0)) return false;
    const bool match = line[macro.begin + 1] == 'm' || line[macro.begin + 1] == 'M';
    at = found + piece.size() + (match ? 0 : 1);
    if (at > name.size()) return false;
    from = macro.end;
  }
  return name.substr(at).ends_with(line.substr(from));
}

}  // namespace

bool may_make_at_edges(const TemplateSet& templates, std::string_view name) {
  for (std::size_t k = 0; k < templates.size(); ++k) {
    if (!templates.on_edges(k) || templates.is_constant(k)) continue;
    if (may_become(templates.line(k), name)) return true;
  }
  return false;
}

std::vector<MacroPlace> macros_of(std::string_view line) {
  std::vector<MacroPlace> macros;
  const auto at_or_nul = [&](std::size_t at) { return at < line.size() ? line[at] : '\0'; };
  std::size_t at = line.find('%');
  const auto skip_blanks = [&] {
    while (at_or_nul(at) != '\0' && std::string_view(" \t\v\f\r").find(line[at]) != line.npos) ++at;
  };
  while (at < line.size()) {
    MacroPlace macro;
    macro.begin = at;
    at += 3;  // "%x["
    macro.absolute = at_or_nul(at) == '@';
    if (macro.absolute) ++at;
    skip_blanks();
    if (at_or_nul(at) == '+') ++at;
    macro.row_begin = at;
    while (at_or_nul(at) == '-' || is_digit(at_or_nul(at))) ++at;
    macro.row_end = at;
    ++at;  // ","
    skip_blanks();
    macro.column_begin = at;
    while (is_digit(at_or_nul(at))) ++at;
    macro.column_end = at;
    if (at_or_nul(at) == ',') {  // ,"expression"
      at += 2;
      while (at < line.size() && line[at] != '"') at += line[at] == '\\' ? 2 : 1;
      ++at;
    }
    macro.end = ++at;
    if (macro.end > line.size()) break;  // no line that TemplateSet has read
    macros.push_back(macro);
    at = line.find('%', at);
  }
  return macros;
}

bool has_octal_row(std::string_view line) {
  for (const MacroPlace& macro : macros_of(line)) {
    std::string_view row = line.substr(macro.row_begin, macro.row_end - macro.row_begin);
    if (row.starts_with('-')) row.remove_prefix(1);
    if (row.size() > 1 && row[0] == '0') return true;
  }
  return false;
}

std::string_view program_of(TemplateLanguage language) {
  return language == TemplateLanguage::crfpp ? "CRF++" : "Wapiti";
}

void require_plain_extraction(const ExtractionConfig& config, TemplateLanguage to,
                              const std::string& file) {
  const auto refuse = [&](bool has, const Message& what) {
    if (has) throw UsageError(file, ": ", program_of(to), " has no ", what);
  };
  refuse(config.format != InputFormat::columns && config.format != InputFormat::attributes,
         Message("data of the format ", format_name(config.format)));
  refuse(config.boundaries, "START and STOP (--boundaries)");
  refuse(config.kit != nullptr, "feature kits (--kit)");
  refuse(config.documents != nullptr, "context of documents (--documents)");
  refuse(!config.conjunctions.empty(), "conjunctions of features");
  refuse(!config.cells.empty(), "features of several positions together");
}

TemplateTranslation::TemplateTranslation(const ExtractionConfig& from, TemplateLanguage to,
                                         const std::string& file)
    : file_(file), to_(to) {
  require_plain_extraction(from, to, file);
  if (from.template_text.empty()) {
    throw UsageError(file, ": ", program_of(to),
                     " makes features with templates, and the model has none");
  }
  from_ = TemplateSet::parse(from.template_text, from.template_name, from.language);
  if (to_ == TemplateLanguage::crfpp) {
    to_crfpp();
  } else {
    to_wapiti();
  }
  if (!from.intercept) return;
  const bool crfpp = to_ == TemplateLanguage::crfpp;
  lines_.insert(lines_.begin(), std::string(crfpp ? "U" : "u").append(kIntercept));
}

void TemplateTranslation::refuse(std::string_view line, const std::string& why) const {
  throw UsageError(file_, ": ", program_of(to_), " cannot say the template ", in_quotes(line), ": ",
                   why);
}

// A line for nodes and edges becomes one for each.
void TemplateTranslation::to_crfpp() {
  for (const bool nodes : {true, false}) {
    for (std::size_t k = 0; k < from_.size(); ++k) {
      const std::string& line = from_.line(k);
      if (nodes ? !from_.on_nodes(k) : !from_.on_edges(k)) continue;
      if (from_.language() == TemplateLanguage::crfpp) {
        lines_.push_back(line);
        continue;
      }
      const std::string plain = canonical(line, [&](const char* why) { refuse(line, why); });
      lines_.push_back((nodes ? "U" : "B") + plain.substr(plain[0] == '*' ? 0 : 1));
    }
  }
}

void TemplateTranslation::to_wapiti() {
  for (std::size_t k = 0; k < from_.size(); ++k) {
    const std::string& line = from_.line(k);
    if (from_.language() == TemplateLanguage::crfpp) {
      lines_.push_back(canonical(line, [&](const char* why) { refuse(line, why); }));
    } else {
      if (has_octal_row(line)) refuse(line, "it takes a number with a 0 before it for octal");
      lines_.push_back(line);
    }
    char& kind = lines_.back()[0];
    if (kind != '*') kind = from_.on_nodes(k) ? 'u' : 'b';
  }
}

std::string TemplateTranslation::renamed(std::string_view name, char crfpp, char wapiti) const {
  const bool to_crfpp = to_ == TemplateLanguage::crfpp;
  const char kind = to_crfpp ? crfpp : wapiti;
  if (name == kIntercept) return std::string(1, kind).append(name);
  std::string out(name);
  if ((from_.language() == TemplateLanguage::crfpp) == to_crfpp) return out;
  if (out.empty() || out[0] == '*') {
    out.insert(out.begin(), kind);
  } else {
    out[0] = kind;
  }
  rename_outside(out, to_crfpp ? "_x" : "_B", to_crfpp ? "_B" : "_x");
  return out;
}

}  // namespace croft

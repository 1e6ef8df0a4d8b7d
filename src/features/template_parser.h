// From the text of a template file to precompiled templates.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/error.h"
#include "features/pattern_regex.h"
#include "features/template.h"

namespace croft {

// A stretch of a template: literal text, or what a macro makes of one cell.
struct TemplatePiece {
  enum class Kind : std::uint8_t {
    text,   // `text` itself
    cell,   // %x: the cell
    test,   // %t: "true" or "false", whether regex[`regex`] matches in the cell
    match,  // %m: the first match of regex[`regex`] in the cell, or nothing
  };
  Kind kind = Kind::text;
  bool lower = false;         // %X %T %M: the result in lower case
  bool absolute = false;      // `position` counts from the start (1 first) or the end (-1 last)
  std::int32_t position = 0;  // otherwise relative to the current row
  std::uint32_t column = 0;
  bool named = false;  // the column, by a name that was looked up
  std::uint32_t regex = 0;
  std::string text;
};

struct TemplateSet::Template {
  std::string line;    // as written, without comment
  std::size_t number;  // of the line in the file, from 1
  bool on_nodes, on_edges;
  std::vector<TemplatePiece> pieces;  // no two texts side by side
  std::vector<PatternRegex> regexes;
};

inline constexpr std::string_view kTemplateBlanks = " \t\v\f\r";

inline std::string_view without_trailing_blanks(std::string_view line) {
  return line.substr(0, line.find_last_not_of(kTemplateBlanks) + 1);
}

// Calls body(line, number) for each line, without its end ("\n" or "\r\n").
template <class Body>
void for_lines(std::string_view text, Body body) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    body(line, number);
  }
}

// What reads one line, from left to right.
class LineScanner {
 protected:
  LineScanner(std::string_view line, const std::string& name, std::size_t number)
      : line_(line), name_(name), number_(number) {}
  [[noreturn]] void fail(std::size_t at, const Message& problem, const Message& remedy) const {
    throw InputError({name_, number_, at + 1}, problem, line_, remedy);
  }
  bool take(std::string_view expected) {
    if (!line_.substr(at_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }

  std::string_view line_;
  const std::string& name_;  // of the file
  std::size_t number_, at_ = 0;
};

// The place of a value among all, to which it is added where it is new.
template <class Value>
std::size_t number_among(const Value& value, std::vector<Value>& all) {
  const auto found = std::ranges::find(all, value);
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  all.push_back(value);
  return all.size() - 1;
}

// crfpp, unless the text contains something that only Wapiti's language has.
TemplateLanguage recognise_language(std::string_view text);

// language: not automatic; names: of columns, as TemplateSet::parse has it.  Throws InputError
// quoting the line at fault.
std::vector<TemplateSet::Template> parse_templates(std::string_view text, const std::string& name,
                                                   TemplateLanguage language,
                                                   std::span<const std::string> names);

}  // namespace croft

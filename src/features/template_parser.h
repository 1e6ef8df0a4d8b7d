// From the text of a template file to precompiled templates.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

inline constexpr std::string_view kBlanks = " \t\v\f\r";

inline std::string_view without_trailing_blanks(std::string_view line) {
  return line.substr(0, line.find_last_not_of(kBlanks) + 1);
}

// crfpp, unless the text contains something that only Wapiti's language has.
TemplateLanguage recognise_language(std::string_view text);

// language: crfpp or wapiti; names: of columns, as TemplateSet::parse has it.  Throws InputError
// quoting the line at fault.
std::vector<TemplateSet::Template> parse_templates(std::string_view text, const std::string& name,
                                                   TemplateLanguage language,
                                                   std::span<const std::string> names);

}  // namespace croft

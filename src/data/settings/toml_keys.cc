#include "data/settings/toml_keys.h"

#include "croft/core/error.h"

namespace croft {

// A key ends where a value, a list or a line does, and dots in quotes are none of its own.
void check_toml_keys(std::string_view text, const std::string& name) {
  constexpr std::size_t kMostParts = 256;
  std::size_t line = 1, begin = 0, parts = 1;
  char quote = '\0';
  bool comment = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') {
      ++line;
      begin = at + 1;
      parts = 1;
      quote = '\0';
      comment = false;
    } else if (comment || (quote != '\0' && c != quote)) {
      continue;
    } else if (c == '"' || c == '\'') {
      quote = quote == '\0' ? c : '\0';
    } else if (c == '#') {
      comment = true;
    } else if (std::string_view("=,[]{}").find(c) != std::string_view::npos) {
      parts = 1;
    } else if (c == '.' && ++parts > kMostParts) {
      throw InputError({name, line, at - begin + 1}, "no TOML: a key of more than 256 parts", "",
                       "write fewer, as tables");
    }
  }
}

}  // namespace croft

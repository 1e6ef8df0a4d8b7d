#include "data/settings/toml_keys.h"

#include <algorithm>

#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::size_t kMostParts = 256;

// Behind the text whose first quote is at `at`: "basic" or 'literal', or of several lines between
// three quotes each.  Where it is not closed, the parser finds that at the place returned.
std::size_t text_end(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool lines = text.substr(at).starts_with(three);
  for (at += lines ? 3 : 1; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (lines && text.substr(at).starts_with(three)) {
      at += 3;  // two more quotes may stand before the closing ones
      for (int more = 0; more < 2 && at < text.size() && text[at] == quote; ++more) ++at;
      return at;
    } else if (!lines && (text[at] == quote || text[at] == '\n')) {
      return at + (text[at] == quote ? 1 : 0);
    }
  }
  return text.size();
}

[[noreturn]] void refuse(std::string_view before, const std::string& name) {
  const std::size_t line = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
  throw InputError({name, line, before.size() - (before.rfind('\n') + 1) + 1},
                   "no TOML: a key of more than 256 parts", "", "write fewer, as tables");
}

}  // namespace

// A key ends where a value, a list or a line does; dots of texts and comments are none of its own.
void check_toml_keys(std::string_view text, const std::string& name) {
  std::size_t parts = 1;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = text_end(text, at);
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos) parts = 1;
    if (c == '.' && ++parts > kMostParts) refuse(text.substr(0, at), name);
    ++at;
  }
}

}  // namespace croft
